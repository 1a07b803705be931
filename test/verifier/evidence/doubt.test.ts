// What is not seen in a text, or has no meaning, puts it in doubt: that something does not stand in it is then unproven.
// In JSON too, however the character is spelled there. Joiners that a script or an emoji needs are part of the text.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { doubtIn, readText } from "../../../src/verifier/evidence/reading.ts"

const unseen = [
  0x01, 0x0c, 0x1f, 0x7f, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x200b, 0x200c, 0x200d,
  0x200e, 0x202e, 0x2060, 0x2064, 0x206a, 0x3164, 0xe000, 0xfe00, 0xfe0f, 0xffa0, 0xfff9, 0xfffe, 0xe0041,
  0xe0100
]
const isDoubtful = (text: string) =>
  Result.match(readText(text), { onFailure: () => true, onSuccess: ({ doubt }) => doubt !== undefined })

describe("a text", () => {
  for (const code of unseen) {
    it(`with U+${code.toString(16)} between two letters is in doubt, in a JSON document too`, () => {
      const text = `pass${String.fromCodePoint(code)}word`
      assert.isTrue(isDoubtful(text))
      assert.isDefined(doubtIn({ members: [{ [text]: 1 }] }))
      assert.isDefined(doubtIn(["x", text]))
    })
  }
  for (const text of [
    "p\\u0061ssword",
    "p\\x61ssword",
    "p%61ssword",
    "p&#97;ssword",
    "p&#x61;ssword",
    "cafe\u0301",
    "가".normalize("NFD") + "\u0301"
  ]) {
    it(`${JSON.stringify(text)} is in doubt: what is looked for may stand there in another spelling`, () => {
      assert.isTrue(isDoubtful(text))
    })
  }
  for (const text of [
    "a line\\n with escapes \\u00e9 \\u2028 \\x00 100%25 50%20off 5&#8239;km",
    "plain\ttext\r\nand lines\n",
    "می\u200cخواهم",
    "क्\u200dष",
    "👩\u200d🚒 ❤\ufe0f 👨🏽\u200d🚀 1\ufe0f\u20e3 🏳\ufe0f\u200d🌈",
    "naïve — “quoted” … ½ 日本語"
  ]) {
    it(`${JSON.stringify(text)} is not`, () => {
      assert.isFalse(isDoubtful(text))
      assert.isUndefined(doubtIn({ [text]: text }))
    })
  }
})
