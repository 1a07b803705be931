// hash: the SHA-256 of what was gathered, all 64 digits: of a file's bytes, of a source's or stream's text in UTF-8,
// of a JSON document's canonical form.
import { Result, Schema } from "effect"
import { fingerprint, sha256 } from "../../domain/fingerprint.ts"
import { holds, unproven } from "../Finding.ts"
import { oracle } from "../Oracle.ts"
import { evidenceOf, wholeText } from "../select.ts"

const Args = Schema.Struct({
  algorithm: Schema.optionalKey(Schema.Literal("sha256")),
  value: Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-fA-F]{64}$/))),
  stream: Schema.optionalKey(Schema.Literals(["stdout", "stderr"]))
})

export const hash = oracle("hash", Args, ({ stream, value }, { evidence }) =>
  Result.gen(function* () {
    const found = yield* evidenceOf(evidence)
    if (found.kind === "number") return unproven("wrong_kind", "a number has no bytes")
    const actual =
      found.kind === "file"
        ? found.sha256
        : found.kind === "json"
          ? yield* Result.mapError(fingerprint(found.value), (error) => unproven("not_json", error.message))
          : sha256(yield* wholeText(found, stream))
    return holds(actual === value.toLowerCase(), "the hash is another", actual)
  })
)
