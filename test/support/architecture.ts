// The rules of the house as pure functions: which room may import what, and what only the live layers may touch.
// A rule takes a file's path below src/ and its text, and answers with sentences; no sentence means it is kept.
import { parse } from "acorn"
import { transformSync } from "esbuild"

/** Each room and the rooms it may import, as in src/README.md. A file beside the rooms is a room of its own. */
const lower: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: [],
  kernel: ["domain"],
  browser: ["domain"],
  schema: ["domain"],
  adapters: ["domain", "kernel", "schema"],
  journal: ["domain", "kernel"],
  plan: ["domain", "kernel"],
  verifier: ["domain", "schema"],
  council: ["domain", "kernel", "adapters", "verifier"],
  mission: ["domain", "kernel", "adapters", "verifier"]
}
const below = Object.keys(lower)
/** Those that the table in src/README.md spells out. */
export const rooms = {
  ...lower,
  cli: [
    "domain",
    "kernel",
    "browser",
    "adapters",
    "journal",
    "plan",
    "verifier",
    "council",
    "mission",
    "engine"
  ]
}
const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...rooms,
  engine: below,
  app: [...below, "engine", "cli"],
  "main.ts": ["app"],
  "index.ts": [...below, "engine", "app"],
  "testing.ts": [...below, "engine", "app"]
}

/** Packages, and the parts of Effect that are not stable, each with the only places that import it. */
export const packages: ReadonlyArray<readonly [name: RegExp, places: RegExp]> = [
  // One stable module by its own path: what only needs that one starts faster.
  [/^effect(\/[A-Z]\w*)?$/, /./],
  [/^effect\/testing$/, /^testing\.ts$/],
  [/^effect\/encoding(\/Sse)?$/, /^(domain|adapters|journal|plan|cli\/serve)\//],
  [/^effect\/persistence/, /^(adapters|app)\//],
  [
    /^effect\/http$/,
    /^(adapters\/providers|mission|app|cli\/serve)\/|^cli\/(Host|commands\/looking\/serve)\.ts$/
  ],
  [/^effect\/(http|ai)/, /^(adapters\/providers|mission|app)\//],
  [/^(preact|uplot)/, /^browser\//],
  [/^effect\/process/, /^kernel\/subprocess\//],
  [/^effect\/cli/, /^(cli|app)\/|^main\.ts$/],
  [/^effect\/observability/, /^app\//],
  [/^@effect\/platform-node/, /^(app|kernel\/subprocess)\/|^main\.ts$/],
  [/^@ai-sdk\//, /^adapters\/providers\//],
  [/^@pydantic\/genai-prices$/, /^adapters\//],
  [/^@cfworker\/json-schema$/, /^schema\//],
  [/^re2js$/, /^schema\//],
  [/^(acorn|buffer(\/index\.js)?|esbuild|@jridgewell\/trace-mapping)$/, /^(plan|app\/person)\//],
  [/^yaml$/, /^(council|app)\//],
  [/^(ignore|string-width)$/, /^cli\//],
  // In the texts of a plan and of a test that commands write.
  [/^alembic\/plan$/, /^cli\/init\/initFiles\.ts$/],
  [/^(vitest|alembic\/testing)$/, /^cli\/init\/frozenTest\.ts$/]
]

/** Members of `effect` itself that are not stable, each with the only places that import it; the rest nowhere. */
export const unstable: ReadonlyArray<readonly [name: RegExp, places: RegExp]> = [
  [/^PlatformError$/, /^kernel\/subprocess\//],
  [/^(FileSystem|Path|PlatformError|Glob|Terminal|Stdio)$/, /^(cli|app|mission|engine\/rooms)\//],
  [/^TextDiff$/, /^engine\/inspect\//],
  [/^(Arbitrary|Bytes|ByteSize|ChannelSchema|ErrorReporter|ExecutionPlan|Graph|HashRing)$/, /^$/],
  [/^(LayerMap|LayerRef|Newtype|PartitionedSemaphore|SemVer|SemVerRange|Tx\w+|Version)$/, /^$/]
]

/** The live layers: the only files that may reach the machine. */
export const isLive = (file: string): boolean =>
  file.endsWith(".node.ts") || /^(adapters\/providers|plan\/child|app|browser)\/|^main\.ts$/.test(file)

/** Node's builtins outside the live layers, each with why. */
const pureBuiltins: Readonly<Record<string, string>> = {
  "domain/fingerprint.ts": "node:crypto" // SHA-256 is a pure function, and this one is fifty times as fast
}

/** The plan's own globals are made here, so their names stand here. The code runs inside the VM. */
const makesGlobals = (file: string): boolean => file.startsWith("plan/inside/")

const banned = new Set(
  [
    ["process", "require", "globalThis", "global", "console", "performance", "navigator"],
    ["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "clearTimeout", "clearInterval"],
    ["fetch", "WebSocket", "XMLHttpRequest", "EventSource", "Worker", "eval", "Function", "crypto"],
    ["Date", "Math", "Math.random"]
  ].flat()
)
/** Pure uses of a banned name: a date made of what is given. */
const pureDate = new Set(["Date.UTC", "Date.parse"])

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
const nodeAt = (node: Node, key: string): Node | undefined => {
  const value = node[key]
  return isNode(value) ? value : undefined
}
const textAt = (node: Node | undefined, key: string): string => {
  const value = node?.[key]
  return typeof value === "string" ? value : ""
}

/** Names that the file itself declares, wherever: a parameter called `process` is no ambient process. */
const declaredIn = (root: Node): ReadonlySet<string> => {
  const names = new Set<string>()
  const pattern = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(pattern)
    if (!isNode(node)) return
    if (node.type === "Identifier") names.add(textAt(node, "name"))
    else if (node.type === "Property") pattern(node["value"])
    else if (node.type === "AssignmentPattern") pattern(node["left"])
    else if (node.type === "RestElement") pattern(node["argument"])
    else [node["properties"], node["elements"]].forEach(pattern)
  }
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (!isNode(node)) return
    if (/^(Function|Class|ArrowFunction)/.test(node.type)) [node["id"], node["params"]].forEach(pattern)
    if (node.type === "VariableDeclarator") pattern(node["id"])
    if (node.type === "CatchClause") pattern(node["param"])
    if (/^Import\w*Specifier$/.test(node.type)) pattern(node["local"])
    Object.values(node).forEach(visit)
  }
  visit(root)
  return names
}

/** Every ambient name the code reads, types and comments aside. `Math.random` by any spelling of its member. */
const ambientNames = (source: string): ReadonlyArray<string> => {
  const { code } = transformSync(source, { loader: "ts", target: "esnext" })
  const root: unknown = parse(code, { ecmaVersion: "latest", sourceType: "module" })
  if (!isNode(root)) return []
  const declared = declaredIn(root)
  const found = new Set<string>()
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (!isNode(node)) return
    if (node.type === "MemberExpression") {
      const object = nodeAt(node, "object")
      const key = nodeAt(node, "property")
      const name = node["computed"] === true ? textAt(key, "value") : textAt(key, "name")
      const whole = `${textAt(object, "name")}.${name}`
      if (whole === "Math.random") found.add(whole)
      if (!pureDate.has(whole) && textAt(object, "name") !== "Math") visit(object)
      if (node["computed"] === true) visit(key)
      return
    }
    if (node.type === "NewExpression" && textAt(nodeAt(node, "callee"), "name") === "Date") {
      const given = node["arguments"]
      if (Array.isArray(given) && given.length > 0) return visit(given)
    }
    if (node.type === "Identifier") {
      const name = textAt(node, "name")
      if (banned.has(name) && !declared.has(name)) found.add(name)
      return
    }
    if (node.type === "Property" || node.type === "PropertyDefinition" || node.type === "MethodDefinition") {
      if (node["computed"] === true) visit(node["key"])
      return visit(node["value"])
    }
    if (/^(Import|Export)\w*Specifier$/.test(node.type)) return
    for (const value of Object.values(node)) visit(value)
  }
  visit(root)
  return [...found].sort()
}

/** What a file imports, types too: static, re-exported and dynamic. Text in comments is no import. */
export const importsOf = (source: string): ReadonlyArray<string> => {
  const code = source.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, "")
  const specifier = /(?:^|[\s;}])(?:from|import)\s*\(?\s*"([^"\n]+)"/g
  return Array.from(code.matchAll(specifier), ([, name]) => name ?? "").filter((name) => name !== "")
}

const resolve = (file: string, specifier: string): string => {
  const parts = file.split("/").slice(0, -1)
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== ".") parts.push(part)
  }
  return parts.join("/")
}
/** `plan.ts` is the plan room's public face: what a prelude has of it. */
const roomOf = (file: string): string => (file === "plan.ts" ? "plan" : (file.split("/")[0] ?? ""))

const importProblem = (file: string, specifier: string): string | undefined => {
  const room = roomOf(file)
  if (specifier.startsWith(".")) {
    const target = resolve(file, specifier)
    if (target === "package.json")
      return file === "app/version.ts" ? undefined : "only app/version.ts reads it"
    const to = roomOf(target)
    if (!/\.(?:tsx?|json)$/.test(specifier)) return "a relative import ends in .ts"
    if (to === room) return undefined
    if (target.includes("/internal/")) return `internal/ is private to ${to}`
    return (mayImport[room] ?? []).includes(to) ? undefined : `${room} may not import ${to}`
  }
  if (specifier.startsWith("node:")) {
    if (isLive(file) || pureBuiltins[file] === specifier) return undefined
    return "Node's builtins belong to the live layers"
  }
  const rule = packages.find(([name]) => name.test(specifier))
  if (rule === undefined) return `no room owns the package ${specifier}`
  return rule[1].test(file) ? undefined : `${room} may not import ${specifier}`
}

/** Files that import each other in a circle, by type or by value: each circle once, from its first file on. */
export const circles = (sources: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const done = new Set<string>()
  const visit = (file: string, path: ReadonlyArray<string>): void => {
    const from = path.indexOf(file)
    if (from >= 0) return void found.push([...path.slice(from), file].join(" → "))
    if (done.has(file)) return
    for (const specifier of importsOf(sources.get(file) ?? ""))
      if (specifier.startsWith(".")) visit(resolve(file, specifier), [...path, file])
    done.add(file)
  }
  for (const file of [...sources.keys()].sort()) visit(file, [])
  return found
}

/** What is taken by name out of `effect` and is not stable. */
export const illegalNames = (file: string, source: string): ReadonlyArray<string> => {
  const modules = importsOf(source).flatMap((name) => /^effect\/([A-Z]\w*)$/.exec(name)?.[1] ?? [])
  const taken = Array.from(
    source.matchAll(/^import (?:type )?\{([^}]*)\} from "effect"$/gm),
    ([, names]) => names ?? ""
  )
  const names = taken.flatMap((list) =>
    list.split(",").map((name) => name.trim().replace(/^type | as .*$/g, ""))
  )
  return [...modules, ...names].flatMap((name) => {
    const rule = unstable.find(([known]) => known.test(name))
    return rule === undefined || rule[1].test(file)
      ? []
      : [`${file}: ${name} of effect is unstable, and not ours here`]
  })
}

/** Rooms, private folders, packages and builtins. */
export const illegalImports = (file: string, source: string): ReadonlyArray<string> =>
  importsOf(source).flatMap((specifier) => {
    const problem = importProblem(file, specifier)
    return problem === undefined ? [] : [`${file}: "${specifier}": ${problem}`]
  })

/** Time, randomness, processes, timers and network that did not come through a service. */
export const ambientUses = (file: string, source: string): ReadonlyArray<string> => {
  if (isLive(file) || makesGlobals(file)) return []
  return ambientNames(source).map((name) => `${file}: ${name} is ambient; take it from a service`)
}

/** Effects are run by the command's main and by who was handed a context; nowhere else. */
export const strayRuns = (file: string, source: string): ReadonlyArray<string> => {
  // The prelude's runtime is run inside the plan's context, by itself.
  if (isLive(file) || file === "plan/prelude/preludeRuntime.ts") return []
  const code = source.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, "")
  return Array.from(
    code.matchAll(/\bEffect\.run(?:Sync|Promise|Fork|Callback)(?:Exit)?\b(?!With)/g),
    ([name]) => `${file}: ${name} outside the live layers; use the With form and a captured context`
  )
}

/** A header that says what the file owns, a size to read at a sitting, no room barrel, no forbidden name. */
export const untidiness = (file: string, source: string): ReadonlyArray<string> => {
  const lines = source.trimEnd().split("\n")
  const problems: Array<string> = []
  if (!/^(?:#!.*\n)?(?:\/\/|\/\*)/.test(source)) problems.push("opens without a comment on what it owns")
  if (lines.length > 400) problems.push(`${lines.length} lines; 400 at most`)
  if (/^[^/]+\/(?:.+\/)?index\.ts$/.test(file)) problems.push("a room has no barrel")
  if (/(?:^|\/)(?:utils?|helpers?|misc|common)\.ts$/.test(file)) problems.push("a name that says nothing")
  if (/(?:Live|Impl|Service)(?:\.node|\.memory)?\.ts$/.test(file)) problems.push("a Live/Impl/Service suffix")
  if (!(roomOf(file) in mayImport)) problems.push(`no such room: ${roomOf(file)}`)
  return problems.map((problem) => `${file}: ${problem}`)
}

export const allRules = [illegalImports, illegalNames, ambientUses, strayRuns, untidiness]
