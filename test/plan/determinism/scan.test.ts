// The static layer by families: every spelling of a forbidden source is found, every pure use of the same names is
// not. Pure texts; positions in an author's source and import refusals are loadPlan's tests.
import { assert, describe, it } from "@effect/vitest"
import { parseBundle, scanProgram } from "../../../src/plan/determinism/scan.ts"

const constructsOf = (source: string): ReadonlyArray<string> =>
  scanProgram(parseBundle(source)).map((finding) => finding.construct)

/** Source, and the construct of its first finding. */
const refused: ReadonlyArray<readonly [source: string, construct: string]> = [
  ['use(Date[`n${"o"}w`]())', "Date.now()"],
  ['use(Date[["n", "ow"].join("")]())', "Date.now()"],
  ['use(Date["now"]())', "Date.now()"],
  ['use(Date[["now"][0]]())', "Date.now()"],
  ["let D; D = Date; D.now()", "Date (alias)"],
  ["[Date][0].now()", "Date (alias)"],
  ["const { now } = Date; now()", "Date.now"],
  ["use(Date.now.call(Date))", "Date.now"],
  ["const { now: t = 3 } = Date; t()", "Date.now"],
  ["export const run = async (h, t = Date.now()) => t", "Date.now()"],
  ["const o = { get at() { return Date.now(); } }", "Date.now()"],
  ["use(Date.now())", "Date.now()"],
  ["export const x = Date.now()", "Date.now()"],
  ["use(new Date(...[]))", "new Date(...args)"],
  ["const none = []; +new Date(...none)", "new Date(...args)"],
  ["use(Date())", "Date()"],
  ["use(Date.call(null))", "Date()"],
  ["use(Date.apply(null, []))", "Date()"],
  ["use(Date.prototype.constructor.now())", "Date.now()"],
  ["class S extends Date { constructor() { super(); } }", "Date subclass"],
  ["use([0].map(Date))", "Date as callback"],
  ['use(h.agent("x").then(Date))', "Date as callback"],
  ["use(Date``)", "Date()"],
  ["class S extends Date { } ; new S()", "Date subclass"],
  ["const S = class extends Date { }; new S()", "Date subclass"],
  ["class S extends Date { } ; class T extends S { } ; new T()", "Date subclass"],
  ["class S extends Date { static t() { return super.now(); } }", "Date subclass"],
  ["class S extends Date { } ; S.now()", "Date subclass"],
  ["use(Math?.random?.())", "Math.random()"],
  ["const { random } = Math", "Math.random"],
  ["const { random: r, ...rest } = Math", "Math.random"],
  ["use(Math.random.call(null))", "Math.random"],
  ["const r = Math.random.bind(Math)", "Math.random"],
  ["use(new Proxy(Math, {}).random())", "new Proxy(Math)"],
  ["const m = new Proxy(Math, {}); m.random()", "new Proxy(Math)"],
  ['use(globalThis["Date"].now())', "globalThis.Date"],
  ["use(globalThis.globalThis.Date.now())", "globalThis.Date"],
  ["const { Date: D } = globalThis; D.now()", "Date (alias)"],
  ["const { Math: { random } } = globalThis", "Math.random"],
  ["const g = globalThis; g.Math.random()", "globalThis (alias)"],
  ['const g = globalThis; const M = g["Math"]; M.random()', "globalThis (alias)"],
  ['use(eval("1"))', "eval()"],
  ['const e = eval; e("1")', "eval (alias)"],
  ['use(eval?.("1"))', "eval() (indirect)"],
  ['use(new Function("return 1")())', "new Function()"],
  ['const F = Function; F("return 1")()', "Function (alias)"],
  ['use(Function.prototype.constructor("return 1")())', "Function()"],
  ['use(Function.call(null, "return 1")())', "Function()"],
  ['use(Reflect.construct(Function, ["return 1"])())', "Reflect.construct(Function)"],
  ['use(Reflect.apply(Function, null, ["return 1"])())', "Reflect.apply(Function)"],
  ['use({}.constructor.constructor("return 1")())', "Function via .constructor"],
  ['use([].constructor.constructor("return 1")())', "Function via .constructor"],
  ['use((async function* () { }).constructor("return 1")())', "AsyncGeneratorFunction()"],
  ['const f = () => 1; f.constructor("return 1")()', "Function via .constructor"],
  ['const { constructor: F } = () => { }; F("return 1")()', "Function via .constructor"],
  ['use(["1"].map(eval))', "eval as callback"],
  [
    'import { createRequire } from "node:module"; export const r = createRequire(import.meta.url)',
    "import.meta.url"
  ],
  ['use(require("node:crypto").randomUUID())', "require()"],
  ["use(process.hrtime.bigint())", "process.hrtime.bigint()"],
  ["use(process.env.HOME)", "process.env"],
  ["const { env } = process", "process"],
  ["use(process.cwd())", "process.cwd()"],
  ["process.nextTick(() => 1)", "process.nextTick()"],
  ["use(__dirname)", "__dirname"],
  ["use(crypto.getRandomValues(new Uint8Array(4)))", "crypto.getRandomValues()"],
  ["const c = crypto; c.randomUUID()", "crypto"],
  ["use(performance.now())", "performance.now()"],
  ["const p = performance; p.now()", "performance"],
  ["use(globalThis.performance.now())", "globalThis.performance"],
  ["use(globalThis.crypto?.randomUUID())", "globalThis.crypto"],
  ["const { randomUUID } = crypto", "crypto"],
  ["use(Temporal.Now.plainDateISO())", "Temporal.Now.plainDateISO()"],
  ["const T = Temporal; T.Now.instant()", "Temporal (alias)"],
  ["const { Now } = Temporal; Now.instant()", "Temporal.Now"],
  ['use(new Intl.DateTimeFormat("en").format())', "Intl.DateTimeFormat().format()"],
  ['const f = new Intl.DateTimeFormat("en"); f.format()', "Intl.DateTimeFormat().format()"],
  ['const f = Intl.DateTimeFormat("en"); f.formatToParts(void 0)', "Intl.DateTimeFormat().formatToParts()"],
  ['const { format } = new Intl.DateTimeFormat("en"); format()', "Intl.DateTimeFormat().format()"],
  ["const sleep = (ms) => new Promise((r) => setTimeout(r, ms))", "setTimeout()"],
  ["const t = setTimeout", "setTimeout"],
  ["globalThis.setTimeout(() => { }, 1)", "globalThis.setTimeout"],
  ["use(new WeakRef({}))", "WeakRef"],
  ["use(new SharedArrayBuffer(4))", "SharedArrayBuffer"],
  ["const { wait } = Atomics", "Atomics.wait"],
  ["use(AbortSignal.timeout(5))", "AbortSignal.timeout()"],
  ["use(WebAssembly.instantiate(h))", "WebAssembly"],
  ['use(Reflect.get(Date, "now")())', "Reflect.get(Date)"],
  ['use(Object.getOwnPropertyDescriptor(Date, "now").value())', "Object.getOwnPropertyDescriptor(Date)"],
  [
    'use(Object.getOwnPropertyDescriptor(globalThis, "Date").value.now())',
    "Object.getOwnPropertyDescriptor(globalThis)"
  ],
  ["use(Date.now?.())", "Date.now()"],
  ["use((0, Date.now)())", "Date.now()"],
  ["const lib = { clock: Date.now }", "Date.now"],
  ["const lib = { clock: { D: Date } }; lib.clock.D.now()", "Date (alias)"],
  ["const lib = {}; lib.D = Date; lib.D.now()", "Date (alias)"],
  ["class A { static D = Date; } ; A.D.now()", "Date (alias)"],
  ["const get = () => Date; get().now()", "Date.now()"],
  ["function get() { return Date; } ; new (get())()", "new Date()"],
  ["const [D] = [Date]; D.now()", "Date (alias)"],
  ["for (const D of [Date]) D.now()", "Date (alias)"],
  ["const pick = (...a) => a[0]; pick(Date).now()", "Date.now()"],
  ["const f = (D) => D.now(); f(Date)", "Date.now()"],
  ["const f = (D) => new D(); f(Date)", "new Date()"],
  ["const f = (D = Date) => D.now()", "Date (alias)"],
  ["const D = Date, E = D; E.now()", "Date (alias)"],
  ["use(await (await Promise.resolve(Date)).now())", "Date.now()"],
  ["use(Object.freeze(Date).now())", "Date.now()"],
  ["const o = Object.create(Math); o.random()", "Object.create(Math)"],
  ["const o = {}; Object.setPrototypeOf(o, Math); o.random()", "Object.setPrototypeOf(Math)"],
  ['use(fetch("http://x"))', "fetch()"],
  ["use(navigator.userAgent)", "navigator"],
  ["const t = /* @__PURE__ */ new Date()", "new Date()"],
  ["use((/* @__PURE__ */ new Date()).getTime())", "new Date()"],
  ["use(+/* @__PURE__ */ new Date())", "new Date()"],
  ["const D = class { static n = Date.now(); }", "Date.now()"],
  ["switch (Date.now()) { }", "Date.now()"],
  ["if (Date.now() > 3) { }", "Date.now()"],
  ["lbl: for (; ; ) { if (/* @__PURE__ */ new Date()) break lbl; }", "new Date()"],
  ["const o = { [Date.now()]: 1 }", "Date.now()"],
  ['const o = { ["k" + Math.random()]: 1 }', "Math.random()"],
  ["const f = function* () { yield Math.random(); }", "Math.random()"],
  ["use(`a${/* @__PURE__ */ new Date()}b`)", "new Date()"],
  ["use({ ...{ at: Date.now() } })", "Date.now()"],
  ["try { throw Date.now(); } catch { }", "Date.now()"],
  ["delete globalThis.Date; Date.now()", "Date.now()"],
  ["use(globalThis?.Date?.now?.())", "globalThis.Date"],
  ['use(globalThis[`Math`]["random"]())', "globalThis.Math"],
  ['const { ["Date"]: { now } } = globalThis', "Date.now"],
  ["use(self.Date.now())", "self.Date"],
  ['use(import("./x.js"))', "import()"],
  ["use(import.meta.url)", "import.meta.url"],
  ["class A { clock = Date; t() { return this.clock.now(); } }", "Date (alias)"],
  [
    "class A { clock; constructor() { this.clock = Date; } t() { return this.clock.now(); } }",
    "Date (alias)"
  ],
  ["const lib = { get() { return Date; } }; lib.get().now()", "Date (alias)"],
  ["const lib = { get clock() { return Date; } }; lib.clock.now()", "Date (alias)"],
  ["class A { static get() { return Date; } } ; A.get().now()", "Date (alias)"],
  ["use([Date].map((D) => D.now()))", "Date (alias)"],
  ["use(Promise.resolve(Date).then((D) => D.now()))", "Date.now()"],
  ["const lib = { get: () => Math }; lib.get().random()", "Math (alias)"],
  ["const f = async () => Date; (await f()).now()", "Date.now()"],
  ["\\u0044ate.n\\u006fw()", "Date.now()"],
  ["Date['\\x6eow']()", "Date.now()"],
  ["export * as fs from 'x'; use(import.meta)", "import.meta"],
  ["label: { if (h) break label; Date.now() }", "Date.now()"],
  ["const { clock: { now } } = { clock: Date }; now()", "Date (alias)"],
  ["({ Date: d } = globalThis); var d; d.now()", "Date (alias)"],
  ["const key = h ? 'now' : 'UTC'; Date[key]()", "Date.now()"],
  ["setTimeout(`x`, 1)", "setTimeout(string)"],
  ["const __alembic_take = 1", "__alembic_take"],
  ["function f(__alembic_refuse) {}", "__alembic_refuse"],
  ["use(__alembic_prelude)", "__alembic_prelude"]
]

const accepted: ReadonlyArray<string> = [
  'use(Date.parse("2024-01-01T00:00:00Z"))',
  "use(new Date(...[2024, 0, 1]).getTime())",
  'const p = "2024-1-2".split("-").map(Number); new Date(...p)',
  "use(Date.length + Date.name)",
  "use(Date.prototype.toISOString.call(/* @__PURE__ */ new Date(0)))",
  'use(Object.prototype.toString.call(/* @__PURE__ */ new Date(0)) === "[object Date]")',
  "const is = (x, C) => x instanceof C; is(1, Date)",
  "const types = [String, Number, Date]; types.includes(Date)",
  "const by = { date: Date }; new by.date(0)",
  "const make = (C) => new C(0); make(Date)",
  "const id = (x) => x; const c = { now: () => 1 }; [id(c).now(), new (id(Date))(0)]",
  "use(x.constructor === Date ? 1 : 2)",
  "const m = /* @__PURE__ */ new Map([[Date, 1]]); m.get(Date)",
  "const { floor, PI, ...rest } = Math; floor(PI)",
  "const M = Math; M.max(1, 2)",
  "use([1.5].map(Math.floor))",
  'const op = "max"; Math[op](1, 2)',
  "use(Reflect.ownKeys(Math).length)",
  "globalThis.foo = 1; globalThis.foo",
  "use(globalThis.Math.max(1, 2))",
  "const g = globalThis; g.JSON.stringify({})",
  "use(typeof process)",
  'use(typeof Function === "function")',
  "use(h.x instanceof Function)",
  "use(Function.prototype.toString.call(h))",
  "class E extends Error { constructor(m) { super(m); this.name = this.constructor.name; } }",
  "class A { clone() { return new this.constructor(1); } }",
  "use((() => { }).constructor.name)",
  "use((async () => { }).constructor === (() => { }).constructor)",
  'const obj = { constructor: (s) => s }; obj.constructor("x")',
  "function f(Date) { return Date.now(); }",
  "const f = ({ Date }) => Date.now()",
  "try { } catch (Math) { Math.random(); }",
  "for (const Date of [{ now: () => 1 }]) Date.now()",
  "{ let Date2 = function() { return 1; }; var Date = Date2; Date2(); }",
  "var Math = { random: () => 4 }; Math.random()",
  'import { Effect as Date } from "effect"; Date.now',
  "const process = { env: { A: 1 } }; process.env.A",
  'const crypto = { randomUUID: () => "x" }; crypto.randomUUID()',
  "const setTimeout = (f) => f(); setTimeout(() => 1)",
  "const fetch = async () => 1; fetch()",
  "const o = { now: 1, random: 2, Date: 3 }; o.Date",
  "class Foo { Date() { } static Math = 1; process = 2; eval() { } }",
  "let x",
  "const f = (d) => d instanceof Date",
  "Date: for (; ; ) { break Date; }",
  "use(new Promise((r) => queueMicrotask(() => r(1))))",
  'console.log("x"); console.error(/* @__PURE__ */ new Date(0))',
  'use(new Intl.DateTimeFormat("en", { timeZone: "UTC" }).format(/* @__PURE__ */ new Date(0)))',
  'use(new Intl.DateTimeFormat("en").format(0))',
  'use((/* @__PURE__ */ new Date(0)).toLocaleDateString("en-US"))',
  'use("a".localeCompare("b"))',
  "use(Atomics.add(new Int32Array(4), 0, 1))",
  'use(new URL("http://x/y").pathname)',
  "const c = new AbortController(); c.abort()",
  "use(structuredClone({ a: 1 }))",
  "const performance = 3; performance",
  'var E = /* @__PURE__ */ ((E2) => { E2[E2["Date"] = 1] = "Date"; E2[E2["Math"] = 2] = "Math"; return E2; })(E || {}); ; 1 /* Date */ + 2 /* Math */',
  "var N; ((N2) => { N2.Date = { now: () => 1 }; N2.t = N2.Date.now(); })(N || (N = {})); ; N.t",
  'use(Promise.race([h.agent("a"), h.agent("b")]))',
  "const a = { b: { performance: 1 } }; a.b.performance",
  "use([/* @__PURE__ */ new Date(0)].sort((a, b) => +a - +b))",
  "const Clock = { now: () => 5 }; const { now } = Clock; now()",
  "const d = /* @__PURE__ */ new Date(0); d.setDate(3)",
  "class S extends Date { constructor(...a) { super(...a); } }",
  "const f = (a) => { const Date = a; return Date.now(); }",
  "export default class Date { static now() { return 1; } } ; Date.now()",
  "use(JSON.parse('{\"a\":1}', (k, v) => v))",
  "use(Array.from({ length: 3 }, (_, i) => new Date(i)))",
  "let Date2 = Date; new Date2(5)",
  "class A { clock = Date; t() { return new this.clock(0); } }",
  "use([Date].map((D) => new D(0)))"
]

/** Guards by the type of a name that no plan has: what stands behind them is no part of the plan. */
const guarded: ReadonlyArray<string> = [
  'use(typeof process !== "undefined" && process.env.X)',
  'use("undefined" != typeof process && process.env.X)',
  'use(typeof process === "object" && process.argv)',
  'use(typeof process == "undefined" || process.env.X)',
  'use(typeof process === "undefined" ? {} : process.env)',
  'use(typeof window < "u" ? window.performance.now() : 0)',
  'use(typeof globalThis.process !== "undefined" && globalThis.process.env)',
  'use(!(typeof process === "undefined") && process.env.X)',
  'use(h && typeof process !== "undefined" && process.env.X)',
  'if (typeof process !== "undefined") { const at = Date.now(); use(process.env, at) }',
  'if (typeof process === "undefined") {} else setTimeout(h)',
  'const isNode = typeof process !== "undefined"; if (isNode && process.versions.node) use(Math.random())',
  'const log = (x) => { if (typeof process === "undefined") return; process.stdout.write(x) }',
  'const log = (x) => { if (typeof fetch !== "function") { throw new Error() } return fetch(x) }',
  'while (typeof process !== "undefined") process.exit()',
  'const env = typeof process === "object" ? process.env : {}; use(env.X)',
  'use(typeof crypto !== "undefined" ? crypto.randomUUID() : "id")',
  'if (typeof require === "function") require("x")'
]

/** What only looks guarded. */
const unguarded: ReadonlyArray<string> = [
  'use(typeof process === "undefined" && process.env.X)',
  'use(typeof process !== "undefined" || process.env.X)',
  'use(typeof h !== "undefined" && process.env.X)',
  'use(typeof Date !== "undefined" && Date.now())',
  'if (typeof process === "undefined") use(Date.now())',
  'use(h || typeof process !== "undefined", process.env.X)',
  'let isNode = typeof process !== "undefined"; isNode = true; if (isNode) use(process.env.X)',
  'const f = (process) => typeof process !== "undefined" && Date.now()',
  'const f = () => { if (typeof process === "undefined") return at(); function at() { return Date.now() } }',
  'const f = () => { if (typeof process === "undefined") use(1); return Date.now() }',
  'use(typeof process !== "undefined" && 1, Math.random())',
  'try { if (typeof process === "undefined") throw 1 } catch { use(Date.now()) }',
  "if (false) use(Date.now())"
]

describe("what stands behind the type of a name that no plan has", () => {
  for (const source of guarded)
    it(`is dead: ${source}`, () => assert.deepStrictEqual(constructsOf(source), []))
  for (const source of unguarded)
    it(`is not: ${source}`, () => assert.strictEqual(constructsOf(source).length, 1))
})

describe("the static layer refuses", () => {
  for (const [source, construct] of refused) {
    it(source, () => assert.strictEqual(constructsOf(source)[0], construct))
  }
})

describe("the static layer accepts", () => {
  for (const source of accepted) it(source, () => assert.deepStrictEqual(constructsOf(source), []))
})

describe("scanProgram", () => {
  it("lists every finding once, in the order of the text", () => {
    const source = "use(Date.now()); const D = Date; D.now(); D.now(); use(Math.random(), new Date())"
    assert.deepStrictEqual(constructsOf(source), [
      "Date.now()",
      "Date (alias)",
      "Math.random()",
      "new Date()"
    ])
  })

  it("follows a value into a function and out by the same call only", () => {
    assert.deepStrictEqual(constructsOf("const id = (x) => x; id(Date); id(clock).now()"), [])
    assert.deepStrictEqual(constructsOf("const id = (x) => x; id(clock); id(Date).now()"), ["Date.now()"])
  })

  it("follows a chain of ten thousand names without exhausting the stack", () => {
    const chain = Array.from({ length: 10_000 }, (_, index) => `const a${index + 1} = a${index};`)
    assert.deepStrictEqual(constructsOf(`const a0 = Date; ${chain.join("\n")} a10000.now()`), [
      "Date (alias)"
    ])
  })

  it("ends on names that are each other's values", () => {
    assert.deepStrictEqual(constructsOf("let a = b, b = a; a = Date; a.now()"), ["Date (alias)"])
    assert.deepStrictEqual(constructsOf("const f = (x) => f(x); f(Date)"), [])
    assert.deepStrictEqual(constructsOf("let o = {}; o = { o, D: Date }; o.o.o.D.now()"), ["Date (alias)"])
  })
})
