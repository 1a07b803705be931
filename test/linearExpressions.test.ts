// No text from outside holds the host: every regular expression of src/ takes time in step with its text, and so does
// everything that scans text in place of one.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { createContext, Script } from "node:vm"
import { redact, looksLikeSecret } from "../src/adapters/redact/redact.ts"
import { candidatesIn } from "../src/adapters/structured/jsonInText.ts"
import { verdictOfPhrase } from "../src/adapters/classify/classifyCodes.ts"
import { verdictOfText } from "../src/adapters/classify/classifyProcess.ts"
import { importSite } from "../src/plan/load/importSites.ts"
import { exportsRun } from "../src/plan/load/scriptOpening.ts"
import { isWorkflowScript } from "../src/plan/load/workflowScript.ts"
import { expressionsBelow, pumpsFor } from "./support/expressions.ts"

const sandbox = createContext({ text: "", form: /x/ })
const testOnce = new Script("form.test(text)")
const replaceAll = new Script("text.replace(form, '')")

/** Milliseconds that the engine takes; Infinity over the limit, at which it is stopped. */
const timeOf = (form: RegExp, text: string, limit: number): number => {
  Object.assign(sandbox, { text, form })
  form.lastIndex = 0
  const from = performance.now()
  try {
    const script = form.global && !form.sticky ? replaceAll : testOnce
    script.runInContext(sandbox, { timeout: limit })
  } catch {
    return Infinity
  }
  return performance.now() - from
}

const slowest = (source: string, flags: string): string | undefined => {
  const form = new RegExp(source, flags)
  const lead = /^[\^(?:]*([A-Za-z0-9-]+)/.exec(source)?.[1] ?? ""
  let worst = { text: "", time: 0 }
  for (const pump of pumpsFor(source)) {
    for (const tail of ["\u0000", ""]) {
      for (const start of new Set(["", lead])) {
        const attack = (length: number) => start + pump.repeat(Math.ceil(length / pump.length)) + tail
        // The square of this length takes seconds; a machine that is busy stalls, but not three times.
        const once = () => timeOf(form, attack(30_000), 300)
        const time = once()
        if (time > 200 && once() > 200 && once() > 200) return JSON.stringify(start + pump)
        if (time > worst.time && time < 200) worst = { text: attack(1_000_000), time }
      }
    }
  }
  const megabyte = () => timeOf(form, worst.text, 5_000)
  return megabyte() === Infinity && megabyte() === Infinity
    ? JSON.stringify(worst.text.slice(0, 20))
    : undefined
}

const soon = (name: string, work: () => void) => {
  const from = performance.now()
  work()
  assert.isBelow(performance.now() - from, 15_000, name)
}

describe("texts from outside", () => {
  it("every regular expression of src/ is linear on a megabyte of hostile text", { timeout: 300_000 }, () => {
    const expressions = expressionsBelow("src")
    assert.isAbove(expressions.length, 200)
    const places = new Map<string, string>()
    for (const { file, flags, source } of expressions) places.set(`/${source}/${flags}`, file)
    const slow = Array.from(places).flatMap(([text, file]) => {
      const end = text.lastIndexOf("/")
      // Without a repetition that has no bound, each place is tried in a bounded time.
      if (!/[*+]|\{\d+,\}/.test(text.slice(1, end).replaceAll(/\\./g, ""))) return []
      const attack = slowest(text.slice(1, end), text.slice(end + 1))
      return attack === undefined ? [] : [`${file}: ${text} on ${attack}`]
    })
    assert.deepStrictEqual(slow, [])
  })

  it("this measure finds what it is there to find", () => {
    for (const source of ["=+$", "^(?:a+)+$", "^\\s*\\{", "(?<![a-z])eyJ[a-zJ-]{8,}\\.[a-z]"]) {
      assert.isDefined(slowest(source, source.includes("{") ? "m" : ""), source)
    }
  })

  it("a banner of slashes opens a script as any comment does", () => {
    const banner = `${"/".repeat(30)}\n`.repeat(30_000)
    for (const opening of [
      banner,
      "/".repeat(1_000_000),
      "/*".repeat(500_000),
      "/**/".repeat(250_000),
      " ".repeat(1e6)
    ]) {
      soon(opening.slice(0, 8), () => {
        assert.isFalse(isWorkflowScript("a.mjs", `${opening}\nimport x from "y"`))
        assert.isFalse(isWorkflowScript("a.mjs", `export ${opening}`))
      })
    }
    soon("a script", () => {
      assert.isTrue(
        isWorkflowScript("a.mjs", `${banner}export const meta = { name: "a" }\nawait agent("x")\n`)
      )
      assert.isFalse(isWorkflowScript("a.mjs", `${banner}export const metadata = 1`))
      assert.isTrue(
        isWorkflowScript(
          "a.js",
          "#!/usr/bin/env x\n/* a */ export /* b */ const /* c */ meta = { name: 'a' }"
        )
      )
      assert.isFalse(isWorkflowScript("a.js", "exportconst meta = {}"))
      assert.isFalse(isWorkflowScript("a.js", "export const meta = {}\nexport { other as run }"))
    })
    for (const part of ["export{", "export {}", "export function ", "export   ", "export {run2 "])
      soon(part, () => assert.isFalse(exportsRun(part.repeat(1_000_000 / part.length))))
    for (const text of [
      "export const run = 1",
      "export async function  * run()",
      "export { a, run }",
      "export class run {"
    ])
      assert.isTrue(exportsRun(text), text)
    for (const text of [
      "export const runs = 1",
      "x.export const run",
      "export { runs }",
      "exports run",
      "export from run"
    ])
      assert.isFalse(exportsRun(text), text)
    const site = `${"import /*".repeat(2_200)} from `
    soon("import sites", () => void importSite(`${site}"x"`, site.length, "import-statement"))
  })

  it("keys are looked for and hidden in time", () => {
    const token = `eyJ${"a".repeat(20)}.${"b".repeat(20)}.${"c".repeat(20)}`
    for (const part of [
      "-eyJ",
      "eyJ.",
      "-eyJaaaaaaaa.",
      "sk-",
      " ",
      "a-",
      "password is a",
      "api key is aaaaaa ",
      "a=",
      "keykey",
      '"',
      "bearer ",
      "-----BEGIN ",
      "."
    ]) {
      const text = part.repeat(1_000_000 / part.length)
      soon(`looks like ${part}`, () => void looksLikeSecret(text))
      soon(`redact ${part}`, () => void redact(text, ["a-secret-of-some-length="]))
    }
    assert.isTrue(looksLikeSecret(`x ${token} y`))
    assert.isTrue(looksLikeSecret(`a.b.x_${token}`))
    assert.isFalse(looksLikeSecret(`xeyJ${"a".repeat(20)}.${"b".repeat(20)}.c`))
    assert.isFalse(looksLikeSecret(`eyJaaaa.${"b".repeat(20)}.c`))
    assert.strictEqual(redact(`t: ${token}, then ${token}.`, []), "t: [redacted], then [redacted].")
    assert.strictEqual(redact("sent Bearer  abcdefghi", []), "sent Bearer [redacted]")
    assert.strictEqual(redact("my google api key is 'abcdefghi'", []), "my google api key is '[redacted]'")
  })

  it("answers and errors are read in time", () => {
    const quote = `{"a":"${'\\"'.repeat(500_000)}`
    for (const text of [
      quote,
      "[".repeat(1e6),
      `${"{".repeat(300_000)}${"}".repeat(300_000)}`,
      `[1${",\n".repeat(400_000)}`,
      '"'.repeat(1e6)
    ])
      soon(text.slice(0, 6), () => void candidatesIn(text))
    assert.deepStrictEqual(Result.getOrThrow(candidatesIn('{"a":[1,2 ,\n],"b":",]",}')), [
      { a: [1, 2], b: ",]" }
    ])
    for (const part of [
      "Error",
      "error: ",
      "Error 400 ",
      "a.Exception",
      "HTTP",
      "Error      ",
      "error code: 400 - "
    ]) {
      const text = part.repeat(1_000_000 / part.length)
      soon(part, () => {
        verdictOfPhrase(text, 400)
        verdictOfText(text)
      })
    }
    const long = "litellm.BadRequestError: Error code: 400 - 'prompt is too long"
    assert.deepStrictEqual(verdictOfPhrase(long, 400), { code: "context_length" })
    assert.isUndefined(verdictOfPhrase("he said prompt is too long", 400))
  })
})
