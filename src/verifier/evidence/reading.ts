// A text as every oracle reads it: without its byte order mark, its lines ended by LF (a CRLF is a line end too, and
// the last line end starts no further line). And what of it was not fully understood: then only what was found counts,
// and that something is absent is unproven.
import { Result } from "effect"
import { defined } from "../../domain/defined.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { unproven, type Outcome } from "../Finding.ts"

type Unproven = Outcome & { readonly finding: "unproven" }

export interface Reading {
  /** Lines ended by LF. */
  readonly text: string
  /** With the carriage returns of its line ends: for claims that speak of them. */
  readonly exact: string
  /** What may have been misread, in words. */
  readonly doubt?: string
}

const invisible = "it has invisible characters"

const doubts: ReadonlyArray<readonly [form: RegExp, doubt: string]> = [
  [/\ufffd/, "it has replacement characters (U+FFFD), which stand for what could not be decoded"],
  [/\r(?!\n)/, "it has carriage returns that end no line, so that its lines are unclear"],
  // TAB, LF, CR are white space; other control characters move the cursor or the page, colour, or delete.
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  [/[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/, "it has control characters"],
  [/\ufeff/, "it has a byte order mark within"],
  // They are not seen, and part or reorder what is: all that Unicode calls ignorable, and formats.
  [/(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Default_Ignorable_Code_Point}\p{Cf}]/u, invisible],
  // Joiners stand between letters of the scripts that need them, and in emoji; there they are part of what is seen.
  [/(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])(?<!\p{M})(?<!\p{Lo})[\u200c\u200d]/u, invisible],
  [/(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}#*0-9])[\ufe0e\ufe0f]/u, invisible],
  [/[#*0-9][\ufe0e\ufe0f](?!\u20e3)/u, invisible],
  // Nobody has to write a plain letter or digit as an escape: what is written so is not found where it stands.
  [
    /\\u00(?:3[0-9]|[46][1-9a-f]|[57][0-9a])|\\x(?:3[0-9]|[46][1-9a-f]|[57][0-9a])|%(?:3[0-9]|[46][1-9a-f]|[57][0-9a])|&#(?:x(?:3[0-9]|[46][1-9a-f]|[57][0-9a])|4[89]|5[0-7]|6[5-9]|[78][0-9]|90|9[789]|1[01][0-9]|12[0-2]);/i,
    "it has escapes that stand for plain letters or digits"
  ],
  // What they stand for is known to a font or to nobody.
  [/[\p{Co}\p{Cn}]/u, "it has characters that Unicode gives no meaning"]
]

/** What may have been misread in a text. */
const doubtOf = (text: string): string | undefined =>
  doubts.find(([form]) => form.test(text))?.[1] ??
  (/\p{M}/u.test(text) && text !== text.normalize("NFC")
    ? "it has letters and marks that could be one character (it is not in NFC), so that what looks alike differs"
    : undefined)

/** What may have been misread in the texts of a JSON value, names of members among them. */
export const doubtIn = (value: Json): string | undefined => {
  if (typeof value === "string") return doubtOf(value)
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    const doubt = doubtOf(key) ?? doubtIn(member)
    if (doubt !== undefined) return doubt
  }
  return undefined
}

/** How a text is read. */
export const readText = (given: string): Result.Result<Reading, Unproven> => {
  if (given.includes("\0")) {
    return Result.fail(
      unproven("evidence_unreadable", "the text has NUL characters: its encoding is not known")
    )
  }
  const exact = given.startsWith("\ufeff") ? given.slice(1) : given
  const text = exact.includes("\r") ? exact.replaceAll("\r\n", "\n") : exact
  const doubt = doubtOf(exact)
  return Result.succeed({ text, exact, ...defined({ doubt }) })
}

/** A text of a JSON document or one that was cut out of a text: what of it is in doubt was found before. */
export const certainText = (given: string): Reading => ({
  text: given.includes("\r") ? given.replaceAll("\r\n", "\n") : given,
  exact: given
})

/** The lines of a text: a line end ends its line and starts no other. */
export const linesOf = ({ text }: Pick<Reading, "text">): ReadonlyArray<string> => {
  const lines = text.split("\n")
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

/**
 * The text that a passage is looked for in: with its carriage returns if the passage has some. A passage over a line
 * end by LF is not looked for in a text whose line ends are CRLF: it is the same passage to some, and not to others.
 */
export const textFor = ({ exact, text }: Reading, passage: string): Result.Result<string, Unproven> => {
  if (passage.includes("\r")) return Result.succeed(exact)
  return exact === text || !passage.includes("\n")
    ? Result.succeed(text)
    : Result.fail(
        unproven(
          "evidence_ambiguous",
          "the text's line ends are CRLF, the claim's are LF: claim line by line"
        )
      )
}

/**
 * An outcome of evidence in doubt. `certain` is the finding that rests on something found, which stands; the other
 * rests on something not found, and is unproven.
 */
export const underDoubt = (
  outcome: Outcome,
  doubt: string | undefined,
  certain: "proven" | "refuted" | "none"
): Outcome =>
  doubt === undefined || outcome.finding === "unproven" || outcome.finding === certain
    ? outcome
    : unproven("evidence_doubtful", `the text was not fully understood: ${doubt}`)
