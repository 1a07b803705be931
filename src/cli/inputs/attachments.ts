// Attachments: from globs to the files that go into a run's identity. Sorted, inside the working directory, without
// what .gitignore names and without binaries; size is limited; secrets are refused, never attached by accident.
import { Effect, FileSystem, Glob, Path } from "effect"
import { trimEndOf } from "../../domain/trimming.ts"
import { looksLikeSecret } from "../../adapters/redact/redact.ts"
import { GivenFiles } from "../../kernel/files/GivenFiles.ts"
import type { Attachment } from "../../engine/launch/planSpec.ts"
import { badInput, type CommandError } from "../CommandError.ts"
import { Host } from "../Host.ts"
import { ignoreRules, type IgnoreRules } from "./ignoreRules.ts"
import { textOf, whyUnreadable } from "./textFiles.ts"

/** The plan gets every file as text, in one message: more would not be read by a model either. */
export const maxFileBytes = 4 * 1024 * 1024
export const maxTotalBytes = 32 * 1024 * 1024
/** Directory entries looked at for one command. */
const maxEntries = 200_000

export interface AttachOptions {
  readonly baseDir: string
  /** `--attach-secrets`: the person has been warned. */
  readonly secrets: boolean
}

export interface Attached {
  readonly attachments: ReadonlyArray<Attachment>
  /** What was left out and why, for people. */
  readonly notices: ReadonlyArray<string>
}

const envFile = /^\.env(?:\..+)?$/
const envTemplate = /\.(?:example|sample|template|dist|defaults)$/
const keyFile =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.npmrc|\.netrc|\.pypirc|\.git-credentials|credentials\.json)$|\.(?:pem|p12|pfx|jks|keystore)$/

const isSecretName = (path: string): boolean => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return (envFile.test(name) && !envTemplate.test(name)) || keyFile.test(name)
}

/** Text for a model is UTF-8 without NUL; all else is taken for a binary. */
const modelText = (bytes: Uint8Array): string | undefined => (bytes.includes(0) ? undefined : textOf(bytes))

interface Pattern {
  readonly given: string
  readonly glob: Glob.Glob
  /** The pattern names one file, or a directory: what it says is meant. */
  readonly literal: boolean
}

const wild = /[*?[\]{}]/

/** A pattern relative to the working directory, with `/`; an absolute one is turned into one if it is inside. */
const normalise = Effect.fnUntraced(function* (given: string) {
  const paths = yield* Path.Path
  const { cwd } = yield* Host
  const outside = badInput(
    "outside",
    `--attach ${given}: only files inside the working directory can be attached`,
    {
      cure: "change to the directory that holds them, or copy them here"
    }
  )
  if (given.trim() === "" || given.includes("\0")) {
    return yield* badInput("no_match", "--attach needs a pattern, such as 'src/**/*.ts'", {
      cure: "--attach 'src/**/*.ts'"
    })
  }
  const relative = paths.isAbsolute(given) ? paths.relative(cwd, given) : given
  const bare = trimEndOf(relative.replace(/^(?:\.\/)+/, ""), "/")
  if (paths.isAbsolute(bare) || bare.split("/").includes("..")) return yield* outside
  const literal = !wild.test(bare)
  const pattern: Pattern = {
    given,
    glob: Glob.make(bare === "" || bare === "." ? "**" : bare, { dot: true }),
    literal
  }
  return pattern
})

interface Found {
  readonly path: string
  readonly bytes: number
}

interface Walk {
  readonly files: Array<Found>
  readonly ignored: Array<string>
  entries: number
}

/** All files below, what is ignored left out; a symbolic link is followed only to a file inside. */
const walk = (cwd: string, skip: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    const root = yield* Effect.orElseSucceed(fs.realPath(cwd), () => cwd)
    const state: Walk = { files: [], ignored: [], entries: 0 }

    const visit = (directory: string, rules: IgnoreRules): Effect.Effect<void, CommandError> =>
      Effect.gen(function* () {
        const names = yield* Effect.mapError(fs.readDirectory(paths.join(cwd, directory)), (error) =>
          badInput("unreadable", `--attach: directory ./${directory} cannot be read: ${whyUnreadable(error)}`)
        )
        for (const name of names.toSorted()) {
          const path = `${directory}${name}`
          if (++state.entries > maxEntries) {
            return yield* badInput("too_large", `--attach: over ${maxEntries} files and directories here`, {
              cure: "name a deeper directory, or add what is generated to .gitignore"
            })
          }
          const absolute = paths.join(cwd, path)
          if (skip.has(absolute)) continue
          // Follows links, so that a link to nothing is nothing; one that leads outside is not followed.
          const info = yield* Effect.orElseSucceed(fs.stat(absolute), () => undefined)
          const real = yield* Effect.orElseSucceed(fs.realPath(absolute), () => undefined)
          if (info === undefined || real === undefined) continue
          const link =
            real !==
            paths.join(yield* Effect.orElseSucceed(fs.realPath(paths.join(cwd, directory)), () => root), name)
          if (info.type === "Directory") {
            if (link) continue
            if (rules.ignores(`${path}/`)) state.ignored.push(`${path}/`)
            else yield* visit(`${path}/`, yield* rules.below(`${path}/`))
          } else if (info.type === "File") {
            if (link && !real.startsWith(`${root}${paths.sep}`)) continue
            if (rules.ignores(path)) state.ignored.push(path)
            else state.files.push({ path, bytes: Number(info.size) })
          }
        }
      })

    yield* visit("", yield* ignoreRules(cwd))
    return state
  })

/** A pattern matches a file by itself, or as a directory that it names. */
const matches = ({ glob, given }: Pattern, path: string): boolean =>
  Glob.match(glob, path) ||
  (!given.endsWith("*") && Glob.match(Glob.make(`${glob.pattern}/**`, { dot: true }), path))

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

const unmatched = ({ given, glob, literal }: Pattern, ignored: ReadonlyArray<string>): CommandError => {
  const left = ignored.filter(
    (path) =>
      Glob.match(glob, path) || (literal && path.startsWith(glob.pattern)) || glob.pattern.startsWith(path)
  )
  return badInput(
    "no_match",
    left.length === 0
      ? `--attach ${given}: no file matches`
      : `--attach ${given}: what matches is ignored by .gitignore (${left[0]}${left.length > 1 ? ", …" : ""})`,
    { cure: "quote the pattern, as in --attach 'src/**/*.ts', and check it from the working directory" }
  )
}

const readOne = Effect.fnUntraced(function* (
  cwd: string,
  { bytes: size, path }: Found,
  options: AttachOptions
) {
  const files = yield* GivenFiles
  if (!options.secrets && isSecretName(path)) {
    return yield* badInput("secret_attached", `--attach: ${path} is a file that holds secrets`, {
      path,
      cure: "leave it out of the pattern, or --attach-secrets if a model may read it"
    })
  }
  if (size > maxFileBytes) {
    return yield* badInput(
      "too_large",
      `--attach: ${path} has ${megabytes(size)}, more than ${megabytes(maxFileBytes)}`,
      {
        path,
        cure: "leave it out of the pattern, or attach an extract of it"
      }
    )
  }
  const bytes = yield* Effect.mapError(files.read(cwd, path, { maxBytes: maxFileBytes }), ({ message }) =>
    badInput("unreadable", `--attach: ${path} cannot be read: ${message}`, { path })
  )
  const text = modelText(bytes)
  if (text === undefined) return { notice: `${path} is binary and was not attached` }
  if (!options.secrets && looksLikeSecret(text)) {
    const line = text.split("\n").findIndex(looksLikeSecret) + 1
    return yield* badInput(
      "secret_attached",
      `--attach: ${path}${line > 0 ? `:${line}` : ""} holds what looks like a key`,
      {
        path,
        ...(line > 0 ? { line } : {}),
        cure: "take the key out, or --attach-secrets if a model may read it"
      }
    )
  }
  const attachment: Attachment = { path, bytes }
  return { attachment }
})

/** The files that `patterns` name, sorted by path. Fails if a pattern matches nothing or something may not be read. */
export const readAttachments = Effect.fnUntraced(function* (
  patterns: ReadonlyArray<string>,
  options: AttachOptions
) {
  const { cwd } = yield* Host
  const paths = yield* Path.Path
  const nothing: Attached = { attachments: [], notices: [] }
  if (patterns.length === 0) return nothing
  const globs = yield* Effect.forEach(patterns, normalise)
  const state = yield* walk(cwd, new Set([paths.resolve(cwd, options.baseDir)]))
  for (const glob of globs) {
    if (!state.files.some(({ path }) => matches(glob, path))) return yield* unmatched(glob, state.ignored)
  }
  const chosen = state.files
    .filter(({ path }) => globs.some((glob) => matches(glob, path)))
    .toSorted((left, right) => (left.path < right.path ? -1 : 1))
  const total = chosen.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total > maxTotalBytes) {
    return yield* badInput(
      "too_large",
      `--attach: ${chosen.length} files with ${megabytes(total)}, more than ${megabytes(maxTotalBytes)} together`,
      { cure: "narrow the pattern, or split the work into several runs" }
    )
  }
  const attachments: Array<Attachment> = []
  const notices: Array<string> = []
  for (const found of chosen) {
    const read = yield* readOne(cwd, found, options)
    if (read.attachment !== undefined) attachments.push(read.attachment)
    if (read.notice !== undefined) notices.push(read.notice)
  }
  if (attachments.length === 0) {
    return yield* badInput("no_match", `--attach: only binary files match (${notices.length})`, {
      cure: "name files with text"
    })
  }
  const result: Attached = { attachments, notices }
  return result
})
