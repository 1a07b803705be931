// The catalogue: every global that reads time, randomness, environment, scheduling, garbage collection, shared
// memory or the outside, what of it is forbidden, and what to use instead. Data only. Names that are not here are
// fine. `console` (goes to the log), `Promise.race` (completions have one order) and everything that depends on
// locale or time zone (fixed in the plan's process) are fine too.

export interface Forbidden {
  /** How many member names after the global are part of the construct's name: `process.argv` is 1. */
  readonly depth: number
  readonly instead: string
  /** What the construct is called where that is not the global's name: what is forbidden about it. */
  readonly name?: string
  /** With members given, only these are forbidden, and the global itself is fine. */
  readonly members?: ReadonlySet<string>
}

export const instead = {
  clock: "take the time from input.args, or from an agent's answer, and build it with new Date(value)",
  random: "take a seed from input.args and compute from it, or ask for a choice with h.agent",
  timer:
    "there is no time inside a plan: use h.parallel or h.pipeline for order, timeoutMs on a call for limits",
  ids: "derive ids from content or from a counter",
  environment: "pass values in with --args and read input.args",
  files: "attach files with --attach and read input.files",
  network: "ask through h.agent, h.mission or h.swarm",
  code: "write the code out: a plan cannot make code from text",
  memory: "keep state in ordinary variables: garbage collection and shared memory are not deterministic",
  imports: "import effect, alembic/plan, files beside the plan, or npm packages of the plan's project",
  location: "name files relative to the plan, or pass paths in with --args"
} as const

/** The same for a workflow script, which has other names and no files. What is not here is said in the same words. */
const insteadInScripts: ReadonlyMap<string, string> = new Map([
  [instead.clock, "take the time from args, or from an agent's answer, and build it with new Date(value)"],
  [instead.random, "take a seed from args and compute from it, or ask for a choice with agent"],
  [
    instead.timer,
    "there is no time inside a script: use parallel or pipeline for order, and let an agent wait where something is to be waited for"
  ],
  [instead.environment, "pass values in with --args and read args"],
  [instead.files, "let an agent read them, or pass what they hold in with --args and read args"],
  [instead.network, "ask through agent"],
  [
    instead.imports,
    "write it out in the script, or reach another script with workflow: a script imports nothing"
  ],
  [instead.location, "pass paths in with --args"]
])

/** What to use instead, in the words of a workflow script. */
export const inScriptWords = (advice: string): string => insteadInScripts.get(advice) ?? advice

const clock = { depth: 1, instead: instead.clock }
const timer = { depth: 0, instead: instead.timer }
const random = { depth: 1, instead: instead.ids }
const environment = { depth: 1, instead: instead.environment }
const host = { depth: 0, instead: instead.environment }
const network = { depth: 0, instead: instead.network }
const files = { depth: 0, instead: instead.files }
const memory = { depth: 0, instead: instead.memory }

export const forbiddenGlobals: Readonly<Record<string, Forbidden>> = {
  performance: clock,
  PerformanceObserver: { ...clock, depth: 0 },
  PerformanceEntry: { ...clock, depth: 0 },
  Temporal: { depth: 2, instead: instead.clock, members: new Set(["Now"]) },
  Event: { ...clock, depth: 0, name: "new Event().timeStamp" },
  CustomEvent: { ...clock, depth: 0, name: "new CustomEvent().timeStamp" },
  MessageEvent: { ...clock, depth: 0, name: "new MessageEvent().timeStamp" },
  File: { ...clock, depth: 0, name: "new File().lastModified" },
  crypto: random,
  Crypto: { ...random, depth: 0 },
  SubtleCrypto: { ...random, depth: 0 },
  process: environment,
  Deno: environment,
  Bun: environment,
  navigator: host,
  location: host,
  localStorage: host,
  sessionStorage: host,
  indexedDB: host,
  caches: host,
  __dirname: { depth: 0, instead: instead.location },
  __filename: { depth: 0, instead: instead.location },
  require: { depth: 0, instead: instead.imports },
  setTimeout: timer,
  setInterval: timer,
  setImmediate: timer,
  clearTimeout: timer,
  clearInterval: timer,
  clearImmediate: timer,
  requestAnimationFrame: timer,
  cancelAnimationFrame: timer,
  requestIdleCallback: timer,
  scheduler: { ...timer, depth: 1 },
  AbortSignal: { ...timer, depth: 1, members: new Set(["timeout"]) },
  Atomics: { ...timer, depth: 1, members: new Set(["wait", "waitAsync", "notify", "pause"]) },
  fetch: network,
  Request: network,
  Response: network,
  XMLHttpRequest: network,
  WebSocket: network,
  WebSocketStream: network,
  EventSource: network,
  BroadcastChannel: network,
  MessageChannel: network,
  MessagePort: network,
  Worker: network,
  SharedWorker: network,
  postMessage: network,
  importScripts: network,
  URL: { depth: 1, instead: instead.ids, members: new Set(["createObjectURL", "revokeObjectURL"]) },
  FileReader: files,
  SharedArrayBuffer: memory,
  WeakRef: memory,
  FinalizationRegistry: memory,
  gc: memory,
  WebAssembly: { depth: 0, instead: instead.code },
  ShadowRealm: { depth: 0, instead: instead.code }
}

/** Names of the global object. Only `globalThis` exists in a plan's context; the others are known by direct use. */
export const globalObjects: ReadonlySet<string> = new Set([
  "globalThis",
  "global",
  "self",
  "window",
  "frames"
])

/** Names that no plan's context has: `typeof` of them is "undefined" in every run. */
export const absentGlobals: ReadonlySet<string> = new Set([
  ...Object.entries(forbiddenGlobals).flatMap(([name, { members }]) => (members === undefined ? [name] : [])),
  ...[...globalObjects].filter((name) => name !== "globalThis"),
  "document"
])

/** Names of which `typeof` is "undefined" unless something of theirs is bundled. */
export const absentTypes: ReadonlySet<string> = new Set([...absentGlobals, "Buffer"])

/** Names that a plan's context has, in one Node or another. What is in neither list exists nowhere. */
export const presentGlobals: ReadonlySet<string> = new Set(
  [
    "Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date Float16Array Float32Array",
    "Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object",
    "Promise Proxy Reflect RegExp Set String Symbol Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap",
    "WeakSet AsyncDisposableStack DisposableStack Temporal",
    "AggregateError DOMException Error EvalError RangeError ReferenceError SuppressedError SyntaxError TypeError URIError",
    "AbortController AbortSignal TextDecoder TextEncoder URL URLSearchParams atob btoa console queueMicrotask",
    "structuredClone decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval globalThis",
    "isFinite isNaN parseFloat parseInt undefined"
  ].flatMap((line) => line.split(" "))
)

/** Methods that call what they are given, by the name they are called by. */
export const callbackMethods: ReadonlySet<string> = new Set([
  "map",
  "flatMap",
  "forEach",
  "filter",
  "some",
  "every",
  "find",
  "findIndex",
  "findLast",
  "findLastIndex",
  "reduce",
  "reduceRight",
  "sort",
  "toSorted",
  "then",
  "catch",
  "finally",
  "replace",
  "replaceAll",
  "from",
  "fromAsync",
  "parse",
  "stringify",
  "groupBy"
])

/** Functions of the language that answer with their first argument, or with something that stands for it. */
export const passThrough: ReadonlyMap<string, "same" | "named"> = new Map([
  ["Object", "same"],
  ["Object.freeze", "same"],
  ["Object.seal", "same"],
  ["Object.preventExtensions", "same"],
  ["Promise.resolve", "same"],
  ["Object.create", "named"],
  ["Object.getOwnPropertyDescriptors", "named"]
])

/** Built-in functions and constructors whose `constructor` is known to be `Function`. */
export const builtinFunctions: ReadonlySet<string> = new Set([
  "Object",
  "Array",
  "String",
  "Number",
  "Boolean",
  "Symbol",
  "BigInt",
  "Map",
  "Set",
  "WeakMap",
  "WeakSet",
  "Promise",
  "RegExp",
  "Error",
  "TypeError",
  "RangeError",
  "SyntaxError",
  "Date",
  "Proxy",
  "ArrayBuffer",
  "Uint8Array",
  "parseInt",
  "parseFloat",
  "isNaN",
  "isFinite",
  "structuredClone",
  "queueMicrotask",
  "encodeURIComponent",
  "decodeURIComponent"
])
