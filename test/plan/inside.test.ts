// What is evaluated inside a plan's context, tried in a context of its own: the pure globals against Node's, and that
// each part is self-contained (its text alone is what reaches the context).
import { createContext, constants, runInContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { insideSource } from "../../src/plan/child/insideSource.ts"

const limits = JSON.stringify({ pending: 10, calls: 10, notes: 10, list: 10 })

const context = () => {
  const fresh = createContext(constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: false } })
  runInContext(insideSource(), fresh)(limits)
  return (code: string): unknown => {
    const text: unknown = runInContext(`JSON.stringify((() => { ${code} })())`, fresh)
    return text === undefined ? undefined : JSON.parse(String(text))
  }
}

const inside = context()

/** What the code gives in a context, and what it gives in Node. */
const same = (code: string): void => {
  const expected: unknown = JSON.parse(String(JSON.stringify(new Function(code)()) ?? "null"))
  assert.deepStrictEqual(inside(code) ?? null, expected, code)
}

describe("text", () => {
  it("encodes and decodes UTF-8 as Node does", () => {
    for (const text of ["", "abc", "ä€😀", "\ud800x", "x\udc00", "\ufeffa", "a\0b"]) {
      same(`return [...new TextEncoder().encode(${JSON.stringify(text)})]`)
    }
    const bytes = [
      [0x80],
      [0xc3],
      [0xc3, 0x28],
      [0xe2, 0x82],
      [0xe2, 0x28, 0xa1],
      [0xf0, 0x9f, 0x98, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf5, 1],
      [0xef, 0xbb, 0xbf, 97],
      [0xf0, 0x80, 0x80, 0x80],
      [0xe0, 0x80, 0xaf]
    ]
    for (const list of bytes) same(`return new TextDecoder().decode(new Uint8Array(${JSON.stringify(list)}))`)
    same(
      `try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255])); return "no" } catch (e) { return e instanceof TypeError }`
    )
    same(
      `const d = new TextDecoder(); let out = ""; for (const b of new TextEncoder().encode("ä€😀z")) out += d.decode(new Uint8Array([b]), { stream: true }) + "|"; return out + d.decode()`
    )
  })

  it("has base64 as Node has", () => {
    for (const text of ["", "a", "ab", "abc", "\u00ff\u0000x"]) same(`return btoa(${JSON.stringify(text)})`)
    for (const text of ["", "YQ==", "YQ", "YWI=", " Y W J j ", "/w=="])
      same(`return atob(${JSON.stringify(text)})`)
  })
})

const urls: ReadonlyArray<readonly [string, string?]> = [
  ["https://user:pa ss@EXAMPLE.com:443/a/./b/../c d?q=1 2&x='y'#frag ment"],
  ["http://example.com:8080"],
  ["http://example.com:80/"],
  ["http:\\\\x\\y?z"],
  ["http:////x/y"],
  ["https://[2001:db8::0:1]:8443/x"],
  ["http://[::ffff:1.2.3.4]/"],
  ["http://[1:2:3:4:5:6:7:8:9]/"],
  ["http://192.168.0.1.:1/"],
  ["http://0x7f.1/"],
  ["http://256.1.1.1/"],
  ["http://1.2.3.4.5/"],
  ["http://a b/"],
  ["http://a%41b/"],
  ["http:///"],
  ["http://x:99999/"],
  ["mailto:a@b.c?subject=x y"],
  ["data:text/plain,hello world#x y"],
  ["foo://Host/a b/../c"],
  ["foo:/a/../../b"],
  ["foo:bar"],
  ["javascript:alert(1)"],
  ["file:///etc/passwd"],
  ["file://localhost/x"],
  ["urn:isbn:123"],
  ["  https://x.y/  "],
  ["ht\ntps://x.y/a\tb"],
  ["nonsense"],
  [""],
  ["/a/b?c", "https://x.y/z/w"],
  ["../a", "https://x.y/z/w/v"],
  ["..", "https://x.y/z/w/v"],
  ["?q", "https://x.y/z/w?p#f"],
  ["#f", "https://x.y/z/w?p#e"],
  ["", "https://x.y/z/w?p#e"],
  ["//other/p", "https://x.y/z"],
  ["https:rel", "https://x.y/z/"],
  ["http:rel", "https://x.y/z/"],
  ["x", "mailto:a"],
  ["#x", "mailto:a"],
  ["a/b", "foo://h/x/y"],
  ["https://x.y/%7Efoo/%e4?%zz|{}^`"],
  ["https://x.y/ä/ö?ü#ß"],
  ["wss://x.y:443/socket"]
]

describe("URL", () => {
  it("parses and serializes as Node does", () => {
    const parts =
      "['href','origin','protocol','username','password','host','hostname','port','pathname','search','hash']"
    for (const [input, base] of urls) {
      const args = [input, base]
        .filter((part) => part !== undefined)
        .map((part) => JSON.stringify(part))
        .join()
      same(
        `try { const u = new URL(${args}); return ${parts}.map((k) => u[k]) } catch (e) { return e instanceof TypeError }`
      )
    }
  })

  it("sets parts as Node does", () => {
    const sets = [
      ["protocol", "http"],
      ["protocol", "foo:"],
      ["username", "a b"],
      ["password", ""],
      ["host", "h:1"],
      ["hostname", "H2"],
      ["port", "444x"],
      ["port", ""],
      ["pathname", "a b/../c"],
      ["search", "x=1 2"],
      ["search", ""],
      ["hash", "#a b"],
      ["hash", ""],
      ["href", "http://n/"]
    ]
    for (const [part, value] of sets) {
      same(
        `const u = new URL("https://u:p@x.y:8/p?q#h"); u[${JSON.stringify(part)}] = ${JSON.stringify(value)}; return u.href`
      )
    }
    same(
      `const u = new URL("https://x.y/?a=1&b=2"); u.searchParams.append("c", "ä & ="); u.searchParams.delete("a"); return [u.href, u.search]`
    )
    same(`const u = new URL("https://x.y/?a=1"); const p = u.searchParams; u.search = "?z=9"; return [...p]`)
  })

  it("has search parameters as Node has", () => {
    for (const init of [
      `"?a=1&b=%20+x&a=2&&c"`,
      `{ a: 1, b: "x y" }`,
      `[["a", "1"], ["a", "2"]]`,
      `new URLSearchParams("q=~*'()!")`,
      ``
    ]) {
      same(
        `const p = new URLSearchParams(${init}); p.set("a", "z"); p.sort(); return [p.toString(), p.get("a"), p.getAll("a"), p.has("q"), p.size, [...p.keys()]]`
      )
    }
  })
})

describe("objects", () => {
  it("clones as Node does", () => {
    same(
      `const o = { d: new Date(5), m: new Map([[1, { a: [1, , 3] }]]), s: new Set([1]), r: /x/gi, b: new Uint16Array([1, 2]), e: new RangeError("m"), u: undefined, n: null }; o.self = o; const c = structuredClone(o); return [c !== o, c.self === c, c.d.getTime(), [...c.m][0][1].a.length, c.s.has(1), String(c.r), [...c.b], c.e instanceof RangeError && c.e.message, "u" in c, c.n]`
    )
    for (const bad of ["() => {}", "Symbol('x')", "Promise.resolve()"]) {
      same(`try { structuredClone(${bad}); return "cloned" } catch (e) { return e.name }`)
    }
  })

  it("aborts as Node does", () => {
    same(
      `const c = new AbortController(); const seen = []; c.signal.addEventListener("abort", (e) => seen.push(e.type)); c.signal.onabort = () => seen.push("on"); c.abort(); c.abort(); return [seen.sort(), c.signal.aborted, c.signal.reason.name]`
    )
    same(
      `const c = new AbortController(); const any = AbortSignal.any([c.signal]); c.abort("why"); try { any.throwIfAborted(); return 0 } catch (e) { return e }`
    )
  })
})

describe("nothing ambient", () => {
  it("has no global that the language and Alembic do not give it", () => {
    const names = inside("return Object.getOwnPropertyNames(globalThis)")
    for (const name of [
      "process",
      "require",
      "setTimeout",
      "fetch",
      "performance",
      "crypto",
      "WebAssembly",
      "SharedArrayBuffer",
      "WeakRef",
      "FinalizationRegistry"
    ]) {
      assert.notInclude(names, name)
    }
  })

  it("leaves no constructor that makes code", () => {
    for (const sample of [
      "() => {}",
      "async () => {}",
      "function* () {}",
      "async function* () {}",
      "class {}",
      "''.sub"
    ]) {
      assert.strictEqual(
        inside(`try { return (${sample}).constructor("return 1")() } catch (e) { return e.name }`),
        "NonDeterministicError"
      )
    }
  })

  it("keeps working when a plan has replaced every global and every method", () => {
    const fresh = createContext(constants.DONT_CONTEXTIFY)
    const host: {
      startModule: (run: unknown, path: string, input: string, packages: string) => void
      takeRequests: () => string
    } = runInContext(insideSource(), fresh)(limits)
    const plan: unknown = runInContext(
      `(async () => ({ run: async (h) => {
        const broken = () => { throw new Error("patched") }
        const { ownKeys, set } = Reflect
        const holders = [Array, Object, String, Function, Map, WeakMap, Promise, Number, RegExp, Symbol, Error, TypeError]
        const all = holders.flatMap((holder) => [holder, holder.prototype]).map((target) => [target, ownKeys(target)])
        const names = ["JSON", "String", "Number", "Map", "Promise", "Array", "Object"]
        for (let i = 0; i < all.length; i++) for (let j = 0; j < all[i][1].length; j++) {
          const key = all[i][1][j]
          if (key === "prototype" || key === "constructor") continue
          try { set(all[i][0], key, broken) } catch {}
        }
        for (let i = 0; i < names.length; i++) globalThis[names[i]] = broken
        return h.agent("still here", { label: "l", list: [1, { a: "b" }] })
      } }))`,
      fresh
    )
    host.startModule(plan, "plan.ts", `{"goal":"","files":[]}`, "[]")
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      const requests: unknown = JSON.parse(host.takeRequests())
      assert.deepStrictEqual(requests, [
        {
          t: "call",
          n: 1,
          verb: "agent",
          options: { prompt: "still here", label: "l", list: [1, { a: "b" }] }
        }
      ])
    })
  })
})
