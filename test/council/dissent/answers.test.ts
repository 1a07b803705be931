// What answers an objection, by letters alone: the decisions, one by one.
import { assert, describe, it } from "@effect/vitest"
import { insufficiencyOf, minLetters, readAs } from "../../../src/council/dissent/answers.ts"

const objection = "Nobody has asked the users, and the law forbids it."

const answers: ReadonlyArray<string> = [
  "asked now",
  "We asked twelve of them in May.",
  "已由法务部门确认合规",
  "Так уже сделали весной",
  "Foi perguntado em maio.",
  "利用者に確認しました",
  "We asked the users, and the law allows it.",
  `You say: "${objection}" We asked twelve of them in May.`,
  "W\u200be a\u00adsked\u2060 twelve of them",
  "उपयोगकर्ताओं से पूछ लिया गया है",
  "o k, w e a s k e d t h e m",
  "Nobody had to: the law that forbids it asked for users in 2019, and has been repealed.",
  "Закон это позволяет, спросили всех"
]

const tooShort: ReadonlyArray<readonly [string, string]> = [
  ["nothing", ""],
  ["white space", " \t\n\u00a0\u2003"],
  ["zero-width characters", "\u200b\u200c\u200d\u2060\ufeff".repeat(9)],
  ["letters that are not seen: Hangul fillers", "\u3164\u115f\u1160\uffa0".repeat(9)],
  ["Braille blanks", "\u2800".repeat(20)],
  ["tag characters", "\u{e0061}\u{e0062}\u{e0063}\u{e0064}\u{e0065}\u{e0066}\u{e0067}\u{e0068}"],
  ["variation selectors", "\ufe0f\u{e0100}".repeat(9)],
  ["private use", "\ue000\ue001\ue002\ue003\ue004\ue005\ue006\ue007"],
  ["punctuation", "... --- ?! ///// (((((((("],
  ["digits", "1234567890 1234567890"],
  ["pictures", "👍👍👍👍👍👍👍👍👍"],
  ["fewer letters than are asked for", "settled"],
  ["few letters, spread out with what is not seen", "n\u200bo\u200b, \u200bn\u200bo"],
  ["few letters among many others", "ok ........ 1234567890 ok"],
  ["one letter again and again", "aaaaaaaaaaaaaaaaaaaa"],
  ["three letters again and again", "hahahehahaheha"],
  ["one letter in many forms", "aAａＡⓐ𝐚𝒂𝓪𝔞𝕒"],
  ["one word again and again", "fine fine FINE, fine! Fine, fine."],
  ["letters under marks", "z\u0335\u0301\u0336".repeat(9)],
  ["that there is none", "no answer no answer"],
  ["what programs write for nothing", "undefined, null; N/A (none)"],
  ["a placeholder", "Lorem ipsum dolor sit amet"],
  ["that nothing is said, in other languages", "keine Antwort. Sem resposta. Aucune réponse."],
  ["the id", "o-1 o-1 o-1 o-1 o-1 o-1 o-1 o-1"]
]

const cyrillic = (letter: string): string => "аеорсху"["aeopcxy".indexOf(letter)] ?? ""
const greek = (letter: string): string => "αοκυτη"["aokutn".indexOf(letter)] ?? ""
const mathematical = (letter: string): string =>
  String.fromCodePoint(0x1d41a + letter.charCodeAt(0) - "a".charCodeAt(0))

const repeats: ReadonlyArray<readonly [string, string]> = [
  ["as it is", objection],
  ["in other case and punctuation", "NOBODY has asked -- the users; and the LAW forbids it!!!"],
  ["in full-width letters", "Ｎｏｂｏｄｙ ｈａｓ ａｓｋｅｄ ｔｈｅ ｕｓｅｒｓ, and the law forbids it."],
  ["with what is not seen between", objection.split("").join("\u200b")],
  ["with marks on its letters", objection.replaceAll(/[aeiou]/g, (vowel) => `${vowel}\u0301`)],
  ["in letters that have marks", "Nóbödy hás äsked thé üsers, ánd the láw förbíds it."],
  ["quoted, with a word or two", `Re: "${objection}" noted.`],
  ["twice", `${objection} ${objection}`],
  ["in letters of other scripts that look alike", objection.replaceAll(/[aeopcxy]/g, cyrillic)],
  ["in Greek letters that look alike", objection.replaceAll(/[aokutn]/g, greek)],
  ["in small capitals", objection.replaceAll(/[aeoh]/g, (letter) => "ᴀᴇᴏʜ"["aeoh".indexOf(letter)] ?? "")],
  ["in digits that look alike", objection.replaceAll("o", "0").replaceAll("i", "1")],
  ["without its spaces", objection.replaceAll(" ", "")],
  ["in mathematical letters", objection.replaceAll(/[a-z]/g, mathematical)],
  ["with digits behind it", `${objection} ab 0151051001510`],
  ["with a word more", "Nobody has asked the users, and indeed the law forbids it."],
  ["with two words exchanged", "Nobody asked the users, and a law forbids it, yes."],
  ["in another order", "The law forbids it, and nobody has asked the users."],
  ["backwards", objection.split("").toReversed().join("")],
  ["in other forms of its words", "Nobody have asked the user, and the laws forbid it."],
  ["in digits that stand for letters", "N0b0dy h4s 45k3d 7h3 u53r5, 4nd 7h3 l4w f0rb1d5 17."],
  ["in part", "the law forbids it"]
]

describe("an answer to an objection", () => {
  for (const answer of answers)
    it(`is one: ${answer.slice(0, 40)}`, () => assert.isUndefined(insufficiencyOf(answer, objection)))

  for (const [name, answer] of tooShort)
    it(`is none: ${name}`, () => assert.strictEqual(insufficiencyOf(answer, objection), "too_few_letters"))

  for (const [name, answer] of repeats)
    it(`is none: the objection ${name}`, () =>
      assert.strictEqual(insufficiencyOf(answer, objection), "repeats_objection"))

  it("is none: another objection", () => {
    const other = "The cost of it is not known to anybody."
    assert.isUndefined(insufficiencyOf(other, objection))
    assert.strictEqual(
      insufficiencyOf(`${other}!`, objection, new Set([objection, other].map(readAs))),
      "repeats_objection"
    )
  })

  it("of a short objection, or of one without letters, may contain it", () => {
    for (const short of ["a", "the", "?!", "🛑"])
      assert.isUndefined(insufficiencyOf("We asked all the users.", short), short)
  })

  it(`has ${minLetters} letters at least`, () => {
    assert.isUndefined(insufficiencyOf("abcdefgh", objection))
    assert.strictEqual(insufficiencyOf("abcdefg", objection), "too_few_letters")
  })
})
