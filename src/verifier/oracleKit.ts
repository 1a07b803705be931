// The kit: every oracle by its name, frozen. A new oracle is a file in oracles/ and a line here.
import type { Oracle } from "./Oracle.ts"
import { all, any, not } from "./oracles/combine.ts"
import { containment } from "./oracles/containment.ts"
import { count } from "./oracles/count.ts"
import { date } from "./oracles/date.ts"
import { equality } from "./oracles/equality.ts"
import { exitCode } from "./oracles/exitCode.ts"
import { hash } from "./oracles/hash.ts"
import { jsonPointer } from "./oracles/jsonPointer.ts"
import { jsonSchema } from "./oracles/jsonSchema.ts"
import { numeric } from "./oracles/numeric.ts"
import { order } from "./oracles/order.ts"
import { quote } from "./oracles/quote.ts"
import { regex } from "./oracles/regex.ts"
import { setRelation } from "./oracles/setRelation.ts"

const kit: ReadonlyArray<Oracle> = Object.freeze([
  equality,
  numeric,
  containment,
  quote,
  regex,
  jsonSchema,
  jsonPointer,
  hash,
  count,
  setRelation,
  order,
  date,
  exitCode,
  all,
  any,
  not
])

export const oracleNames: ReadonlyArray<string> = Object.freeze(kit.map(({ name }) => name))

export const oracleNamed = (name: string): Oracle | undefined => kit.find((oracle) => oracle.name === name)

/** What is said of a name that no oracle has. */
export const noOracle = (name: string): string =>
  `there is no oracle "${name}"; there are ${oracleNames.join(", ")}`
