// What a terminal gets of text from outside: nothing that acts. What a pipe gets: every byte.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { join } from "node:path"
import { writeFileSync } from "node:fs"
import { guarded, jsonLine, type Edge } from "../../../src/cli/terminal/edge.ts"
import { harmless } from "../../../src/cli/terminal/harmless.ts"
import { clip, makeStyle } from "../../../src/cli/terminal/style.ts"
import { alembic } from "../../support/commandLine.ts"
import { dice } from "../../support/dice.ts"
import { planFolder } from "../../support/planFolder.ts"

/** Pieces that text from outside may hold, each with what must not reach a terminal. */
const hostile = [
  "\u001b[2J",
  "\u001b]0;title\u0007",
  "\u001b[31mred\u001b[39m",
  "\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\",
  "\u009b2J",
  "\u009d0;t\u009c",
  "\u0000",
  "\b\b\b",
  "a\rb",
  "\u202eevil\u202c",
  "\u2066x\u2069",
  "\u200b",
  "\u2060",
  "\ufeff",
  "\u00ad",
  "\ud800",
  "\udc00x",
  "\u{e0041}",
  "\u2028",
  "\ufdd01\ufdd1bold",
  "x\u200d ",
  " \ufe0f"
]
const innocent = [
  "plain",
  "łódź",
  "日本語",
  "नमस्ते",
  "👩‍👩‍👧‍👦",
  "✔️",
  "e\u0301",
  "می‌خواهم",
  "tab\tnew\nline",
  "a\r\nb"
]

// oxlint-disable-next-line no-control-regex
const acts =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u00AD\uFDD0\uFDD1\u{E0000}-\u{E007F}]|\r(?!\n)|\p{Cs}/u
/** What the marks of a style become. */
// oxlint-disable-next-line no-control-regex
const marks = /\u001b\[(?:0|1|2|22|31|32|33|36|39)m/g

const mark = "\ufdd00.123:0.456:"
const said = (edge: Edge, text: string): string => {
  const written: Array<unknown> = []
  guarded({ ...console, log: (...all: ReadonlyArray<unknown>) => void written.push(...all) }, edge).log(text)
  return String(written[0])
}

describe("on a terminal", () => {
  it("what acts is shown", () => {
    for (const piece of hostile) {
      assert.notMatch(harmless(`a${piece}b`), acts, JSON.stringify(piece))
    }
    assert.strictEqual(harmless("\u001b[2J\u202e"), "\\x1b[2J\\u{202e}")
  })

  it("letters, joiners inside words, emoji and line ends stay", () => {
    for (const piece of innocent) assert.strictEqual(harmless(piece), piece)
  })

  it("our own marks are drawn, and those of text from outside are not", () => {
    const style = makeStyle(mark)
    const edge: Edge = { stdout: true, stderr: true, mark }
    assert.strictEqual(said(edge, style.red("\u001b[1mx")), "\u001b[31m\\x1b[1mx\u001b[39m")
    assert.strictEqual(said(edge, style.own("\u001b[1mhelp\u001b[0m")), "\u001b[1mhelp\u001b[0m")
    assert.strictEqual(makeStyle(undefined).own("\u001b[1mhelp\u001b[0m"), "help")
  })

  it("a line of JSON stays the same value", () => {
    const value = { text: hostile.join(" ").toWellFormed() }
    const line = jsonLine({ stdout: true, stderr: true, mark: undefined }, JSON.stringify(value))
    assert.notMatch(line, acts)
    assert.deepStrictEqual(JSON.parse(line), value)
  })

  it("is linear: a million suspects take no time to speak of", () => {
    const once = harmless("\u200d\u202e".repeat(500_000))
    assert.isAbove(once.length, 4_000_000)
  })
})

it("a pipe or a file gets every byte", () => {
  const text = hostile.join("")
  const edge: Edge = { stdout: false, stderr: false, mark: undefined }
  assert.strictEqual(said(edge, text), text)
  assert.strictEqual(jsonLine(edge, text), text)
})

it.prop("one line of a summary never acts", [Schema.Int], ([seed]) => {
  const roll = dice(seed)
  const text = Array.from({ length: 12 }, () => roll.pick([...hostile, ...innocent])).join("")
  assert.notMatch(clip(text, 40), acts)
})

describe("every command that shows what a run holds", () => {
  const goalOf = (text: string) => `# ${text}\n`

  for (const isTerminal of [true, false])
    it.live(`is harmless ${isTerminal ? "on a terminal" : "in a pipe"}, whatever the run was given`, () =>
      Effect.gen(function* () {
        const text = hostile.filter((piece) => piece.isWellFormed()).join(" ")
        const quoted = JSON.stringify(text)
        const plan = `export const run = async (h) => {
        h.phase(${quoted}); h.log(${quoted}, { ${quoted}: ${quoted} })
        const one = await h.agent(${quoted}, { label: ${quoted} })
        const two = await h.agent("fail " + ${quoted}, { label: ${quoted} })
        await h.agent(${quoted}, { model: "human", label: ${quoted} })
        return one.text + ${quoted}
      }`
        const cwd = yield* planFolder({ "GOAL.md": goalOf(text), "alembic.plan.ts": plan })
        const fixtures = {
          rules: [
            { match: { includes: "fail" }, answer: { failure: { code: "client_error", message: text } } },
            { match: { includes: "" }, answer: { text } }
          ]
        }
        writeFileSync(join(cwd, "fixtures.json"), JSON.stringify(fixtures))
        const terminal = {
          canAsk: false,
          color: isTerminal,
          stdout: isTerminal,
          stderr: isTerminal,
          columns: isTerminal ? 80 : undefined,
          screen: () => ({ columns: 80, rows: 24 })
        }
        const host = { terminal }
        const all: Array<string> = []
        const drawnLines: Array<string> = []
        const redraw = (line: string) => Effect.sync(() => void drawnLines.push(line))
        // The answer of `ask` and a run's result are data: a pipe gets them as they are.
        const isData = (args: ReadonlyArray<string>) =>
          !isTerminal && /^(?:ask|run|resume)$/.test(args[0] ?? "")
        const run = (...args: ReadonlyArray<string>) =>
          Effect.tap(alembic({ cwd, host: { ...host, redraw } }, ...args), ({ err, out }) =>
            Effect.sync(() => void all.push(isData(args) ? err : `${out}\n${err}`))
          )
        const fixed = ["--offline-fixtures", "fixtures.json"]
        yield* run("run", "--accept-loss", ...fixed)
        yield* run("run", "--accept-loss", "--plain", ...fixed)
        yield* run("list")
        yield* run("questions")
        yield* run("inspect", "@last")
        yield* run("answer", "@last", "q-1", text)
        yield* run("resume", "@last", "--accept-loss", ...fixed)
        yield* run("inspect", "@last")
        yield* run("replay", "@last")
        yield* run("why", "@last")
        yield* run("why", "@last", "1")
        yield* run("show", "@last")
        yield* run("show", "@last", "1")
        yield* run("diff", "@last", "@last")
        yield* run("tail", "@last")
        yield* run("verify", text)
        yield* run("check", text)
        yield* run("ask", text, ...fixed)
        yield* run(text)
        yield* run("run", "--plan", text, `--${text}`)
        for (const one of [...all, ...drawnLines]) assert.notMatch(one.replace(marks, ""), acts)
        assert.isTrue(all.some((one) => one.includes("\\x1b[2J")))
      })
    )
})
