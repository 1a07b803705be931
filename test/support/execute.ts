// Starts a program and waits for it: its stdout, or an error that shows all it said.
import { execFile } from "node:child_process"

export interface ExecuteOptions {
  readonly cwd: string
  /** Besides the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>
}

export const execute = (
  program: string,
  args: ReadonlyArray<string>,
  { cwd, env = {} }: ExecuteOptions
): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, NO_COLOR: "1", ...env }, maxBuffer: 64 * 1024 * 1024 }
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${program} ${args.join(" ")}: exit ${error.code}\n${stdout}\n${stderr}`))
    })
  })
