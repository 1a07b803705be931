// What a hostile plan's process may say: turns as an honest one would say them, bent at random, so that what is believed
// goes deep and what is not is nearly right. A function of its dice.
import { Effect, Result } from "effect"
import { defaultLimits } from "../../src/plan/host/PlanVm.ts"
import { believing, decodeChildLine, failedTurn } from "../../src/plan/host/planTurn.ts"
import { brokenTurn } from "../../src/plan/host/turnProtocol.ts"
import type { Answer, PlanDriver, Turn } from "../../src/plan/host/PlanProtocol.ts"
import type { Dice } from "./dice.ts"
import { moduleOf } from "./planHarness.ts"

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { in: value }
  return value
}

const texts = [
  "q",
  "",
  "é 👩‍💻",
  "\u0000\u001b[2J",
  "\u202ehidden",
  "__proto__",
  "constructor",
  "../../etc/passwd",
  "x".repeat(5_000),
  '"},{"t":"call"'
]

/** Another value of the same kind, which a schema may well take. */
export const ofSameKind = (random: Dice, value: unknown): unknown => {
  if (typeof value === "string")
    return random.below(3) === 0 ? value.slice(0, random.below(value.length + 1)) : random.pick(texts)
  if (typeof value === "number")
    return random.pick([0, 1, 2, 3, value + 1, value - 1, value * 2, 1.5, -1, 2 ** 31, 2 ** 53 - 1])
  return typeof value === "boolean" ? !value : oddValue(random)
}

/** A value that hardly belongs where it stands. */
export const oddValue = (random: Dice): unknown => {
  switch (random.below(14)) {
    case 0:
      return null
    case 1:
      return random.pick([true, false])
    case 2:
      return random.pick([-1, 0, 1, 2, 1.5, -0])
    case 3:
      return random.pick([2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 1e21, 1e308])
    case 4:
      return []
    case 5:
      return {}
    case 6:
      return nested(random.pick([3, 40, 990, 1_100]))
    case 7:
      return { toJSON: "x", length: -1, valueOf: 1 }
    case 8:
      return Array.from({ length: random.below(40) }, (_, index) => index)
    case 9:
      return "\ud800"
    default:
      return random.pick(texts)
  }
}

type Members = Record<string, unknown>

const optionNames = [
  "label",
  "model",
  "system",
  "schema",
  "maxOutputTokens",
  "temperature",
  "timeoutMs",
  "cache",
  "tier",
  "profile",
  "ms",
  "goal",
  "units",
  "tasks",
  "topic",
  "board",
  "members"
]

const options = (random: Dice, verb: unknown): unknown => {
  if (random.below(12) === 0) return oddValue(random)
  const given: Members =
    verb === "sleep" ? { ms: random.below(3) } : { prompt: `${random.pick(texts)}${random.below(5)}` }
  for (let times = random.below(3); times > 0; times--) {
    // A sleep that is long is no attack: the run sleeps.
    if (verb !== "sleep" && random.below(3) === 0) given[random.pick(optionNames)] = oddValue(random)
  }
  return given
}

/** Changes something somewhere in the value. */
const bent = (random: Dice, value: unknown): unknown => {
  if (typeof value !== "object" || value === null)
    return random.below(2) === 0 ? ofSameKind(random, value) : oddValue(random)
  if (random.below(6) === 0) return oddValue(random)
  if (Array.isArray(value)) {
    const list: Array<unknown> = [...value]
    const at = random.below(list.length + 1)
    switch (random.below(4)) {
      case 0:
        list.splice(at, 1)
        break
      case 1:
        list.splice(at, 0, list[random.below(list.length)] ?? oddValue(random))
        break
      case 2:
        list.reverse()
        break
      default:
        list[at] = bent(random, list[at])
    }
    return list
  }
  const members: Members = { ...value }
  const names = Object.keys(members)
  const name = names[random.below(names.length)] ?? "t"
  const how = random.below(5)
  if (how === 0) delete members[name]
  else if (how === 1) members[random.pick([...optionNames, "x", "site", "result"])] = oddValue(random)
  else members[name] = bent(random, members[name])
  return members
}

const garbled = (random: Dice, line: string): string => {
  const at = random.below(line.length + 1)
  switch (random.below(4)) {
    case 0:
      return line.slice(0, at)
    case 1:
      return line.slice(0, at) + random.pick(texts) + line.slice(at)
    case 2:
      return line.slice(0, at) + line.slice(at + 1 + random.below(8))
    default:
      return random.pick([
        "",
        "null",
        "[]",
        "{}",
        "1e999",
        '{"t":"progress"}',
        '{"t":"turn"}',
        "[".repeat(9_000)
      ])
  }
}

/** The lines of one process, each a word on a batch of answers. `bend`: one turn of so many is bent. */
export const hostileProcess = (random: Dice, bend = 4) => {
  const pending = new Set<number>()
  let issued = 0
  let turns = 0

  const request = (): Members => {
    const first = [...pending][0]
    switch (random.below(9)) {
      case 0:
        return { t: "phase", title: random.pick(texts) }
      case 1:
        return {
          t: "log",
          message: random.pick(texts),
          ...(random.below(2) === 0 ? { data: oddValue(random) } : {})
        }
      case 2:
        return { t: "slots", done: random.below(2), of: 1 + random.below(2), accepted: random.below(2) === 0 }
      case 3:
        if (first !== undefined) {
          pending.delete(first)
          return { t: "cancel", n: first }
        }
    }
    issued += 1
    pending.add(issued)
    const verb = random.below(8) === 0 ? random.pick(["mission", "swarm", "council", "sleep"]) : "agent"
    return {
      t: "call",
      n: issued,
      verb,
      options: options(random, verb),
      ...(random.below(4) === 0 ? { phase: random.pick(texts) } : {}),
      ...(random.below(3) === 0
        ? { site: { file: "plan:plan.js", line: 1 + random.below(3), column: 1 } }
        : {})
    }
  }

  const honest = (batch: ReadonlyArray<number>): Members => {
    turns += 1
    let delivered = 0
    for (const n of batch) {
      if (!pending.delete(n)) break
      delivered += 1
    }
    const requests = Array.from({ length: random.below(4) }, request)
    const goesOn = turns < 8 && random.below(6) !== 0
    if (goesOn && pending.size === 0) {
      issued += 1
      pending.add(issued)
      requests.push({ t: "call", n: issued, verb: "agent", options: { prompt: "more" } })
    }
    if (goesOn) return { t: "turn", delivered, standing: 0, requests }
    if (random.below(3) === 0) {
      const ending = {
        code: random.pick(["plan_error", "plan_limit", "hook_pending", "x"]),
        message: random.pick(texts)
      }
      return { t: "turn", delivered, standing: 2, ending, requests }
    }
    const result = random.below(4) === 0 ? random.pick(texts) : JSON.stringify(oddValue(random))
    return { t: "turn", delivered, standing: 1, result, notices: [], requests }
  }

  return (batch: ReadonlyArray<number>): string => {
    const turn = honest(batch)
    const said = random.below(bend) === 0 ? bent(random, turn) : turn
    const line = JSON.stringify(said) ?? ""
    return random.below(bend * 4) === 0 ? garbled(random, line) : line
  }
}

/** Drives such a process without starting one: each line is decoded and held against the protocol as a real one's is. */
export const hostileDriver = (random: Dice, bend?: number): PlanDriver => {
  const say = hostileProcess(random, bend)
  const believe = believing(moduleOf("", []), defaultLimits)
  let over: Turn | undefined
  const exchange = (batch: ReadonlyArray<Answer>) =>
    Effect.sync((): Turn => {
      if (over !== undefined) return over
      const decoded = decodeChildLine(say(batch.map(({ n }) => n)))
      if (Result.isFailure(decoded)) return (over = brokenTurn(decoded.failure))
      // A process that says nothing more is ended by the watch.
      if (decoded.success.t === "progress") return (over = failedTurn("plan_timeout", "it says nothing"))
      const { broken, turn } = believe(decoded.success, batch)
      if (broken || turn.state.t !== "waiting") over = turn
      return turn
    })
  return { start: exchange([]), deliver: exchange }
}
