// planTurn: from what the child says to a Turn in the author's terms: every message checked, every place mapped back
// to the author's source. Pure.
import { Result, Schema } from "effect"
import { Site } from "../../domain/Call.ts"
import type { Finding } from "../../domain/Finding.ts"
import { defined } from "../../domain/defined.ts"
import type { RunErrorInfo } from "../../domain/run/RunEvent.ts"
import type { PlanBundle } from "../bundler/PlanBundle.ts"
import { packageAdvice, packageAtLine } from "../bundler/packageUse.ts"
import { findingMessage, nonDeterministicMessage } from "../PlanError.ts"
import { PlanRequest, type Answer, type PlanState, type Turn } from "./PlanProtocol.ts"
import type { Limits } from "../inside/record.ts"
import { sitesOf } from "../load/sourceMap.ts"
import { brokenTurn, isPlainSaid, TurnProtocol } from "./turnProtocol.ts"
import { inScriptWords } from "../determinism/catalogue.ts"

const ChildEnding = Schema.Struct({
  code: Schema.NonEmptyString,
  message: Schema.String,
  construct: Schema.optionalKey(Schema.String),
  instead: Schema.optionalKey(Schema.String),
  site: Schema.optionalKey(Site)
})
type ChildEnding = typeof ChildEnding.Type

const ChildTurn = Schema.Struct({
  t: Schema.Literal("turn"),
  delivered: Schema.Int,
  /** 0: waiting, 1: returned, 2: ended otherwise. */
  standing: Schema.Literals([0, 1, 2]),
  result: Schema.optionalKey(Schema.String),
  notices: Schema.optionalKey(Schema.Array(Schema.String)),
  ending: Schema.optionalKey(ChildEnding),
  requests: Schema.Array(PlanRequest)
})
type ChildTurn = typeof ChildTurn.Type

/** One line from the child. `progress`: it has come up, or it is still delivering. */
export const ChildMessage = Schema.Union([ChildTurn, Schema.Struct({ t: Schema.Literal("progress") })])

const decodeMessage = Schema.decodeUnknownResult(ChildMessage)

/** Says in a line what is wrong with a line. */
export const decodeChildLine = (line: string): Result.Result<typeof ChildMessage.Type, string> => {
  const value = Result.try((): unknown => JSON.parse(line))
  if (Result.isFailure(value)) return Result.fail("it is not JSON")
  if (!isPlainSaid(value.success)) return Result.fail("it is not plain JSON")
  return Result.mapError(decodeMessage(value.success), ({ message }) => message.split("\n", 1)[0] ?? "")
}

/** A turn that ended the plan before it could say anything itself. */
export const failedTurn = (code: string, message: string, cure?: string): Turn => ({
  requests: [],
  delivered: 0,
  state: { t: "failed", error: cure === undefined ? { code, message } : { code, message, cure } }
})

type SiteMap = (site: Site) => Site | undefined

const siteMap = (bundle: PlanBundle): SiteMap => {
  const maps = new Map([[bundle.entry, sitesOf(bundle)]])
  if (bundle.kind === "workflow") {
    for (const nested of Object.values(bundle.workflows)) maps.set(nested.entry, sitesOf(nested))
  }
  return (site) => maps.get(site.file.replace(/^plan:/, ""))?.(site.line, site.column)
}

/** Makes Turns of a bundle's child messages. */
export const turnsOf = (bundle: PlanBundle): ((message: ChildTurn) => Turn) => {
  const authorSite = siteMap(bundle)

  const request = (given: PlanRequest): PlanRequest => {
    if (given.t !== "call" || given.site === undefined) return given
    const { site, ...rest } = given
    const mapped = authorSite(site)
    return mapped === undefined ? rest : { ...rest, site: mapped }
  }

  /** In the words of who reads it: a script has other names, and a package is not the author's to correct. */
  const adviceOf = ({ construct = "", instead, site }: ChildEnding): string | undefined => {
    if (bundle.kind === "workflow") return instead === undefined ? undefined : inScriptWords(instead)
    const owner = site === undefined ? undefined : packageAtLine(bundle.packages ?? [], site.line)
    return (owner === undefined ? undefined : packageAdvice(owner, construct)) ?? instead
  }

  const failed = (ending: ChildEnding): PlanState => {
    const site = ending.site === undefined ? undefined : authorSite(ending.site)
    const { construct } = ending
    const advice = adviceOf(ending)
    if (construct !== undefined) {
      const at = site ?? { file: bundle.entry, line: 1, column: 1 }
      const found = { construct, ...at }
      const finding: Finding = { ...found, message: findingMessage(found), instead: advice ?? "" }
      const error: RunErrorInfo = {
        code: ending.code,
        message: nonDeterministicMessage(bundle.entry, [finding]),
        ...at,
        ...defined({ cure: advice })
      }
      return { t: "failed", error, findings: [finding] }
    }
    const place = site === undefined ? "" : ` (${site.file}:${site.line}:${site.column})`
    return { t: "failed", error: { code: ending.code, message: `${ending.message}${place}`, ...site } }
  }

  const state = (message: ChildTurn): PlanState => {
    if (message.standing === 0) return { t: "waiting" }
    if (message.standing === 1) {
      const { notices = [], result } = message
      if (result === undefined) return { t: "returned" }
      return { t: "returned", result, ...(notices.length === 0 ? {} : { notices }) }
    }
    return failed(message.ending ?? { code: "plan_crashed", message: "the plan ended without a reason" })
  }

  return (message) => ({
    requests: message.requests.map(request),
    delivered: message.delivered,
    state: state(message)
  })
}

/** A turn as far as it is believed. `broken`: nothing of it is, nor will be of what follows. */
export interface BelievedTurn {
  readonly turn: Turn
  readonly broken: boolean
}

/** Holds each message of a bundle's process against what it was told and said before: all of it is taken, or nothing. */
export const believing = (
  bundle: PlanBundle,
  limits: Limits
): ((message: ChildTurn, batch: ReadonlyArray<Answer>) => BelievedTurn) => {
  const turnOf = turnsOf(bundle)
  const protocol = new TurnProtocol(limits)
  return (message, batch) => {
    const problem = protocol.problem({ ...message, ended: message.standing !== 0 }, batch)
    return problem === undefined
      ? { turn: turnOf(message), broken: false }
      : { turn: brokenTurn(problem), broken: true }
  }
}
