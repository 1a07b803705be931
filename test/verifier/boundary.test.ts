// Where a passage may be cut out of a text.
import { assert, describe, it } from "@effect/vitest"
import { cutsNumber, cutsWord } from "../../src/verifier/boundary.ts"

const cut = (text: string, part: string, by: typeof cutsWord) =>
  by(text, text.indexOf(part), text.indexOf(part) + part.length)

describe("cutsWord", () => {
  it("parts of words, with joiners, marks and invisible characters", () => {
    const cuts = [
      ["unproven", "proven"],
      ["can't", "can"],
      ["can\u2019t", "can"],
      ["non-safe", "safe"],
      ["cafe\u0301", "cafe"],
      ["ab\u200dcd", "ab"],
      ["so\u00adft", "so"],
      ["snake_case", "case"],
      ["me@host", "host"],
      ["\u{10400}x", "x"]
    ]
    for (const [text = "", part = ""] of cuts) assert.isTrue(cut(text, part, cutsWord), `${part} of ${text}`)
  })

  it("whole words at ends, quotes, dashes and punctuation", () => {
    const whole = [
      ["proven", "proven"],
      ['"safe"', "safe"],
      ["safe, sound", "safe"],
      ["(safe)", "safe"],
      ["safe \u2013 sound", "safe"],
      ["it's \u2018safe\u2019.", "safe"],
      ["\ufeffalpha", "alpha"]
    ]
    for (const [text = "", part = ""] of whole)
      assert.isFalse(cut(text, part, cutsWord), `${part} of ${text}`)
  })
})

describe("cutsNumber", () => {
  it("parts of numbers: digits, signs, groups, decimals, percent, exponents", () => {
    const cuts = [
      ["1250", "250"],
      ["1,250", "250"],
      ["1.250", "250"],
      ["-5", "5"],
      ["\u22125", "5"],
      ["5%", "5"],
      ["5.25", "5"],
      ["1e9", "1"],
      ["12 345", "345"],
      ["12 345", "12"],
      ["1\u202f000", "1"],
      ["20\u00b0", "20"],
      [".5", "5"]
    ]
    for (const [text = "", part = ""] of cuts)
      assert.isTrue(cut(text, part, cutsNumber), `${part} of ${text}`)
  })

  it("whole numbers beside words and punctuation", () => {
    const whole = [
      ["412 ms", "412"],
      ["412ms", "412"],
      ["= 412.", "412"],
      ["412, 7", "412"],
      ["v1 2000", "2000"],
      ["(412)", "412"]
    ]
    for (const [text = "", part = ""] of whole)
      assert.isFalse(cut(text, part, cutsNumber), `${part} of ${text}`)
  })
})
