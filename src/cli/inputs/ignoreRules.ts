// .gitignore, read as git reads it: every file from the repository's root down, each for what is below it. What the
// rules mean is the `ignore` package's; which files hold them is here.
import { Effect, FileSystem, Path } from "effect"
import ignore, { type Ignore } from "ignore"
import { GivenFiles } from "../../kernel/files/GivenFiles.ts"
import { textOf } from "./textFiles.ts"

/** Never attached, ignored or not: they are nobody's input. */
const never = new Set([".git", "node_modules"])

export interface IgnoreRules {
  /** Whether git would leave it out. `path` is relative to the working directory, with `/`; a directory ends in `/`. */
  readonly ignores: (path: string) => boolean
  /** The same rules and those of the `.gitignore` in `directory` (relative, ends in `/`, or empty). */
  readonly below: (directory: string) => Effect.Effect<IgnoreRules>
}

interface Level {
  /** Where the rules hold, relative to the working directory: `""`, `src/`, or outwards by `prefix`. */
  readonly directory: string
  /** What to put before a path relative to the working directory, for rules from above it. */
  readonly prefix: string
  readonly rules: Ignore
}

const relativeTo = ({ directory, prefix }: Level, path: string): string | undefined => {
  if (prefix !== "") return `${prefix}${path}`
  return path.startsWith(directory) && path !== directory ? path.slice(directory.length) : undefined
}

/** The last rule that speaks decides, the deepest file last. */
const decide = (levels: ReadonlyArray<Level>, path: string): boolean => {
  let ignored = false
  for (const level of levels) {
    const relative = relativeTo(level, path)
    if (relative === undefined) continue
    const found = level.rules.test(relative)
    if (found.ignored) ignored = true
    else if (found.unignored) ignored = false
  }
  return ignored
}

const lastName = (path: string): string => path.replace(/\/$/, "").split("/").at(-1) ?? ""

export const ignoreRules = Effect.fnUntraced(function* (cwd: string) {
  const fs = yield* FileSystem.FileSystem
  const given = yield* GivenFiles
  const paths = yield* Path.Path

  const read = (absolute: string) =>
    Effect.map(
      Effect.orElseSucceed(Effect.map(given.read(absolute, ".gitignore"), textOf), () => undefined),
      (text) => (text === undefined ? undefined : ignore().add(text))
    )

  const rulesOf = (levels: ReadonlyArray<Level>): IgnoreRules => ({
    ignores: (path) => never.has(lastName(path)) || decide(levels, path),
    below: (directory) =>
      Effect.map(read(paths.join(cwd, directory)), (rules) =>
        rules === undefined ? rulesOf(levels) : rulesOf([...levels, { directory, prefix: "", rules }])
      )
  })

  // Outwards to the repository's root; outside a repository only the working directory's own file counts.
  const above: Array<{ readonly absolute: string; readonly prefix: string }> = []
  let absolute = cwd
  let prefix = ""
  for (;;) {
    if (yield* Effect.orElseSucceed(fs.exists(paths.join(absolute, ".git")), () => false)) break
    const parent = paths.dirname(absolute)
    if (parent === absolute) {
      above.length = 0
      break
    }
    prefix = `${paths.basename(absolute)}/${prefix}`
    absolute = parent
    above.unshift({ absolute, prefix })
  }
  const levels: Array<Level> = []
  for (const { absolute, prefix } of above) {
    const rules = yield* read(absolute)
    if (rules !== undefined) levels.push({ directory: "", prefix, rules })
  }
  return yield* rulesOf(levels).below("")
})
