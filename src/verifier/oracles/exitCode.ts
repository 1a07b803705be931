// exit_code: the command ended with this code. One that was killed or ran out of time ended with none.
import { Result, Schema } from "effect"
import { holds, refuted, unproven } from "../Finding.ts"
import { oracle } from "../Oracle.ts"
import { evidenceOf } from "../select.ts"

const Args = Schema.Struct({
  code: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 255 }))),
  /** The command and its arguments, all of them: a claim about tests is not proven by `true`. */
  command: Schema.optionalKey(Schema.Array(Schema.String))
})

export const exitCode = oracle("exit_code", Args, ({ code, command }, { evidence }) =>
  Result.map(evidenceOf(evidence), (found) => {
    if (found.kind !== "command") return unproven("wrong_kind", "only a command has an exit code")
    if (command !== undefined && JSON.stringify(command) !== JSON.stringify(found.command)) {
      // Nothing is known of the one that is asked about: neither that it ended so, nor that it did not.
      return unproven("other_command", `the evidence is of another command: ${JSON.stringify(found.command)}`)
    }
    if (found.timedOut === true) return refuted("differs", "the command ran out of time", "timed out")
    return holds(found.exitCode === code, "the command ended with another code", found.exitCode)
  })
)
