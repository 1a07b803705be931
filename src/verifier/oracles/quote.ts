// quote: the passage stands verbatim in the source, as whole words and numbers. Exact by code unit; only runs of
// white space may differ, and only where the claim says so.
import { Result, Schema } from "effect"
import { cutsWord } from "../boundary.ts"
import { excerpt, proven, refuted, unproven, type Outcome } from "../Finding.ts"
import { oracle } from "../Oracle.ts"
import { textFor, underDoubt } from "../evidence/reading.ts"
import { textOf } from "../select.ts"
import { trimAscii } from "../../domain/trimming.ts"

const Args = Schema.Struct({
  quote: Schema.String,
  /** `collapsed`: a run of white space in the source counts as one space, for wrapped lines. */
  whitespace: Schema.optionalKey(Schema.Literals(["exact", "collapsed"])),
  stream: Schema.optionalKey(Schema.Literals(["stdout", "stderr"]))
})

const collapse = (text: string): string => text.replace(/[ \t\r\n]+/g, " ")

/** The longest start of the quote that the source has, and what follows it there: where the two part. */
const parting = (source: string, quote: string) => {
  let low = 0
  let high = quote.length
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (source.includes(quote.slice(0, middle))) low = middle
    else high = middle - 1
  }
  const at = low === 0 ? 0 : source.indexOf(quote.slice(0, low))
  return {
    matched: excerpt(quote.slice(0, low).toWellFormed()),
    source:
      low === 0
        ? ""
        : source
            .slice(at, at + low + 40)
            .slice(-120)
            .toWellFormed(),
    line: low === 0 ? 0 : source.slice(0, at).split("\n").length
  }
}

const maxOccurrences = 100_000

export const quote = oracle("quote", Args, ({ quote: passage, stream, whitespace }, { evidence }) =>
  Result.gen(function* () {
    const reading = yield* textOf(evidence, stream)
    const text = whitespace === "collapsed" ? reading.text : yield* textFor(reading, passage)
    const source = whitespace === "collapsed" ? collapse(text) : text
    const wanted = whitespace === "collapsed" ? trimAscii(collapse(passage)) : passage
    const absent = (outcome: Outcome) => underDoubt(outcome, reading.doubt, "proven")
    if (!/[\p{L}\p{N}]/u.test(wanted)) return unproven("vacuous", "a quote has a letter or a digit")
    let at = source.indexOf(wanted)
    const first = at
    for (let seen = 0; at !== -1; seen++) {
      if (!cutsWord(source, at, at + wanted.length)) return proven
      if (seen === maxOccurrences) return unproven("too_complex", "the passage stands in too many places")
      at = source.indexOf(wanted, at + 1)
    }
    if (first !== -1) {
      return absent(
        refuted(
          "cut_word",
          "the passage stands there only as a part of longer words or numbers",
          source.slice(Math.max(0, first - 20), first + wanted.length + 20).toWellFormed()
        )
      )
    }
    return absent(refuted("absent", "the passage does not stand in the source", parting(source, wanted)))
  })
)
