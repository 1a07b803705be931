// Keeps what V8 compiles of the command for the next start.
import module from "node:module"
import { userCache } from "../kernel/userDirectories.node.ts"

/** Node's own default is a temporary folder that all users share. NODE_COMPILE_CACHE has been heard by now. */
export const keepCompiled = (): void => {
  const directory = userCache("node")
  if (directory !== undefined) module.enableCompileCache(directory)
}
