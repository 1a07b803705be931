// What proofs are made of inside the working directory: the files that their commands name, what those read or import,
// and configuration that programs read by themselves. A worker that changed one is shown where it is let through.
// What a file reads is guessed from the paths in its text: a path that is put together at run time is not found.
import { Effect, Option, Schema } from "effect"
import { isUnread, type ReadFile } from "./gatherEvidence.ts"
import type { Proof } from "../Mission.ts"
import { changedIn, type Inputs } from "./observations.ts"

/** How far from the file that a command names. */
const maxDepth = 3
const maxFiles = 200
const maxBytes = 1_000_000

const isNpm = (program: string): boolean => /(?:^|\/)(?:npm|npx|pnpm|yarn|bun)$/.test(program)
const isMake = (program: string): boolean => /(?:^|\/)make$/.test(program)

/** What a command names, or reads because of what it is, as paths. */
const namedBy = ({ command: [program = "", ...args] }: Proof): ReadonlyArray<string> =>
  [
    ...[program, ...args].filter((word) => word.includes("/") || word.includes(".")),
    ...args,
    ...(isNpm(program) ? ["package.json"] : []),
    ...(isMake(program) ? ["Makefile", "makefile", "GNUmakefile"] : [])
  ].map((word) => word.replace(/^(?:\.\/)+/, "").replace(/\/$/, ""))

const configuration =
  /(?:^|\/)(?:package\.json|tsconfig[^/]*\.json|jsconfig\.json|\.npmrc|\.[a-z]+rc(?:\.[a-z]+)?|[a-z]+\.config\.[a-z]+|[a-z]+\.workspace\.[a-z]+|pytest\.ini|tox\.ini|setup\.cfg|conftest\.py|pyproject\.toml|sitecustomize\.py|Cargo\.toml|build\.rs|go\.mod|(?:GNU)?[Mm]akefile)$/

/** Read by programs that nobody named it to. */
const isConfiguration = (path: string): boolean => configuration.test(path) && !path.includes("node_modules/")

const endings = ["", ".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".json", ".py", ".sh"]

const joined = (folder: string, path: string): string | undefined => {
  const names: Array<string> = []
  for (const name of `${folder}${path}`.split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return undefined
    } else if (name !== "." && name !== "") names.push(name)
  }
  return names.join("/")
}

/** The files of the folder that a text names, relative to its own folder or to the working directory. */
const namedIn = (text: string, path: string, known: ReadonlySet<string>): ReadonlyArray<string> => {
  const folder = path.slice(0, path.lastIndexOf("/") + 1)
  const found = new Set<string>()
  for (const word of new Set(text.split(/[\s"'`=;:()|&<>,{}[\]]+/))) {
    if (word.length > 300 || !/[./]/.test(word)) continue
    for (const base of [joined(folder, word), joined("", word)]) {
      if (base === undefined || base === "") continue
      // What is written as `.js` may be compiled from `.ts`.
      for (const stem of [base, base.replace(/\.[cm]?jsx?$/, ""), `${base}/index`]) {
        for (const ending of endings) if (known.has(stem + ending)) found.add(stem + ending)
      }
    }
  }
  found.delete(path)
  return [...found]
}

const decodeScripts = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ scripts: Schema.Record(Schema.String, Schema.String) }))
)

/** Of a package.json only its scripts say what is run. */
const textToSearch = (path: string, text: string): string =>
  /(?:^|\/)package\.json$/.test(path)
    ? Object.values(Option.getOrUndefined(decodeScripts(text))?.scripts ?? {}).join("\n")
    : text

/** What the proofs read beyond what they name, each path with the id of the first proof that does. */
export const readBy = <R>(
  proofs: ReadonlyArray<Proof>,
  inputs: Inputs,
  readFile: ReadFile<R>
): Effect.Effect<Inputs, never, R> =>
  Effect.gen(function* () {
    const known = new Set(inputs.map(([path]) => path))
    const reached = new Map<string, string>()
    for (const proof of proofs) {
      const named = namedBy(proof)
      const seen = new Set([...known].filter((path) => isNamed(named, path)))
      let edge = [...seen]
      for (let depth = 0; depth < maxDepth && edge.length > 0; depth++) {
        const next: Array<string> = []
        for (const path of edge.slice(0, maxFiles)) {
          const found = yield* readFile(path)
          if (found === undefined || isUnread(found) || found.length > maxBytes) continue
          for (const one of namedIn(textToSearch(path, new TextDecoder().decode(found)), path, known)) {
            if (seen.has(one)) continue
            seen.add(one)
            next.push(one)
            if (!reached.has(one)) reached.set(one, proof.id)
          }
        }
        edge = next
      }
    }
    return [...reached].sort(([a], [b]) => (a < b ? -1 : 1))
  })

/** The path is named, or stands in a folder that is. */
const isNamed = (named: ReadonlyArray<string>, path: string): boolean =>
  named.some((one) => one !== "" && (path === one || path.startsWith(`${one}/`)))

const maxNamed = 5
/** Names of files, the first of them. */
export const someOf = (paths: ReadonlyArray<string>): string => {
  const named = paths.slice(0, maxNamed).map((path) => (path === "" ? "the folder" : path))
  return `${named.join(", ")}${paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : ""}`
}

const listed = (told: string, files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.length === 0 ? [] : [`${told}: ${files.join("; ")}`]

/**
 * What is told of files that were there before the first worker and are others now. `reads`: what proofs read beyond
 * what they name. Configuration is told also where it is new.
 */
export const changesTold = (
  proofs: ReadonlyArray<Proof>,
  before: Inputs,
  inputs: Inputs,
  reads: Inputs
): string => {
  const was = new Set(before.map(([path]) => path))
  const all = changedIn(before, inputs)
  const changed = all.filter((path) => was.has(path))
  const named = new Set<string>()
  const own = proofs.flatMap((proof) => {
    const paths = changed.filter((path) => isNamed(namedBy(proof), path))
    for (const path of paths) named.add(path)
    return paths.length === 0 ? [] : [`${someOf(paths)} (${proof.id})`]
  })
  const readers = new Map(reads)
  const read = changed.filter((path) => readers.has(path) && !named.has(path) && !isConfiguration(path))
  const configured = all.filter((path) => isConfiguration(path) && !named.has(path))
  return [
    ...listed("changed since the mission began, though a proof is made of it", own),
    ...listed(
      "changed too, and read by what a proof is made of",
      read.length === 0 ? [] : [`${someOf(read)} (${readers.get(read[0] ?? "") ?? ""})`]
    ),
    ...listed(
      "configuration that programs read by themselves is new or changed",
      configured.length === 0 ? [] : [someOf(configured)]
    )
  ].join("; ")
}
