// Letters that look like others, folded into one, so that a text that is copied with some of them exchanged reads as
// what it was copied from. By hand, and not all of Unicode's confusables: Cyrillic, Greek, Armenian, small capitals and
// Latin letters with strokes, of those that stand for a Latin letter; digits; `rn` and `vv`. A copy in letters of other
// scripts (Cherokee, Coptic, Lisu) is not found out. Compatibility forms (full width, mathematical) are NFKD's.

const alike: ReadonlyArray<readonly [latin: string, letters: string]> = [
  ["a", "аαɑᴀ4"],
  ["b", "вьβʙᏏ"],
  ["c", "сϲᴄ"],
  ["d", "ԁժᴅđð"],
  ["e", "еєεҽᴇз3ӡ"],
  ["f", "ғϝꜰſẝ"],
  ["g", "ɡցɢ"],
  ["h", "нһհʜħ"],
  ["i", "іıɩιӏlʟł1|"],
  ["j", "јʝյᴊ"],
  ["k", "кκᴋ"],
  ["m", "мᴍ"],
  ["n", "пηռոɴ"],
  ["o", "оοσօᴏø0"],
  ["p", "рρᴘ"],
  ["q", "ԛզ"],
  ["r", "гᴦʀ"],
  ["s", "ѕꜱ5"],
  ["t", "тτᴛŧ7"],
  ["u", "υսμиᴜ"],
  ["v", "ѵνᴠ"],
  ["w", "ԝωшᴡ"],
  ["x", "хχ"],
  ["y", "уүγʏ"],
  ["z", "ᴢ"],
  ["6", "б"],
  ["ae", "æ"],
  ["oe", "œ"],
  ["ss", "ß"]
]

const latinOf: ReadonlyMap<string, string> = new Map(
  alike.flatMap(([latin, letters]) => Array.from(letters, (letter) => [letter, latin] as const)).toReversed()
)

/** A text in lower case and NFKD, without marks, each letter as the one that it looks like. */
export const skeletonOf = (text: string): string =>
  Array.from(text, (letter) => latinOf.get(letter) ?? letter)
    .join("")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
