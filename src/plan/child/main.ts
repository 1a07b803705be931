// main: the process a plan runs in. One plan, one life: it takes `start` and then `deliver`s from the host, runs the
// plan until it is quiet, and says what it did. It imports nothing but Node's own modules and its neighbours, so
// that it starts fast. Watching it (time, memory) is the host's.
import { freshContext, proxyAmong } from "./context.ts"
import { readLine, writeLine } from "./lines.ts"
import { scrub } from "./scrub.ts"
import type { FromHost } from "./messages.ts"

const { evaluate, evaluatePrelude, build, drain } = freshContext()
const progressEveryMs = 100
const progress = `{"t":"progress"}`

const lostPromises = new Map<Promise<unknown>, unknown>()
process.on("unhandledRejection", (reason, promise) => lostPromises.set(promise, reason))
process.on("rejectionHandled", (promise) => lostPromises.delete(promise))

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : "it threw")

type Inside = ReturnType<typeof build>
let inside: Inside | undefined
let keepPrelude: (() => void) | undefined

const run = (plan: Inside, work: () => void): void => {
  try {
    work()
    drain()
    while (plan.runDue()) drain()
    const path = proxyAmong(plan)
    if (path !== undefined) plan.refuse("plan_error", `${path}: a Proxy is not plain data`)
  } catch (cause) {
    plan.refuse("plan_error", messageOf(cause))
  }
}

const start = (message: Extract<FromHost, { t: "start" }>): Inside => {
  const plan = build(message.limits)
  run(plan, () => {
    const { prelude } = message
    if (prelude !== undefined) {
      const { keep, module } = evaluatePrelude(prelude.code, prelude.compiled)
      const missing = message.imports.find((name) => module.modules[name] === undefined)
      if (missing !== undefined) throw new Error(`there is no module ${missing}`)
      plan.prelude(module)
      keepPrelude = keep
    }
    const script = evaluate(message.code, `plan:${message.entry}`)
    if (message.kind === "module") plan.startModule(script, message.entry, message.input, message.packages)
    else {
      const nested = message.nested.flatMap(({ name, entry, code }) => [
        name,
        evaluate(code, `plan:${entry}`)
      ])
      plan.startWorkflow(script, nested, message.input)
    }
  })
  return plan
}

const deliver = (plan: Inside, answers: ReadonlyArray<readonly [number, string]>): number => {
  let reported = performance.now()
  let delivered = 0
  for (const [n, json] of answers) {
    if (plan.standing() !== 0 || !plan.isPending(n)) break
    run(plan, () => plan.settle(n, json))
    delivered += 1
    const now = performance.now()
    if (now - reported > progressEveryMs) {
      reported = now
      writeLine(progress)
    }
  }
  return delivered
}

const report = (plan: Inside, delivered: number): void => {
  const standing = plan.standing()
  const result = standing === 1 ? plan.result() : undefined
  const ending = standing === 2 ? `,"ending":${plan.ending()}` : ""
  const value = result === undefined ? "" : `,"result":${JSON.stringify(result)},"notices":${plan.notices()}`
  const requests = plan.takeRequests()
  writeLine(
    `{"t":"turn","delivered":${delivered},"standing":${standing}${value}${ending},"requests":${requests}}`
  )
  setImmediate(next)
  // The host has its turn; what comes next will take a while.
  keepPrelude?.()
  keepPrelude = undefined
}

/** At the end the promises that were rejected unseen count; Node tells of them after the current job. */
const finish = (plan: Inside, delivered: number): void => {
  run(plan, () => {
    for (const reason of lostPromises.values()) {
      plan.lost(reason)
      break
    }
    plan.describeLost()
    plan.seal()
  })
  report(plan, delivered)
}

const next = (): void => {
  const line = readLine()
  if (line === undefined) return process.exit(0)
  const message: FromHost = JSON.parse(line)
  let delivered = 0
  if (message.t === "start") inside = start(message)
  else if (inside !== undefined) delivered = deliver(inside, message.answers)
  const plan = inside
  if (plan === undefined) return process.exit(1)
  if (plan.standing() === 0) report(plan, delivered)
  else setImmediate(() => finish(plan, delivered))
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // A terminal sends them to the whole group; when the plan ends is the host's to say.
  process.on(signal, () => {})
}
scrub()
writeLine(progress)
next()
