// verbs: the eight verbs as promises, what `run(h, input)` gets. They check their arguments, issue calls through the
// recorder and settle when the host delivers; a model's failure is a value. Evaluated inside the plan's context: see
// intrinsics.ts.
import type { FanOut, SlotOutcome } from "./fanOut.ts"
import type { Intrinsics } from "./intrinsics.ts"
import type { PlainJson } from "./plainJson.ts"
import type { Recorder } from "./record.ts"

export const verbs = (own: Intrinsics, plain: PlainJson, recorder: Recorder, fan: FanOut) => {
  const { put, member, isArray, text, freeze, TypeError: OwnTypeError } = own

  interface PhaseCell {
    title: string | undefined
  }

  /** The options of `agent` as JSON, the prompt among them. */
  const agentJson = (prompt: unknown, options: unknown): string => {
    if (typeof prompt === "object" && prompt !== null && options === undefined)
      return plain.json(prompt, "agent")
    if (typeof prompt !== "string") throw new OwnTypeError("agent: $.prompt: must be a string")
    const first = `{"prompt":${plain.json(prompt, "agent: $.prompt")}`
    if (options === undefined) return `${first}}`
    if (typeof options !== "object" || options === null || isArray(options)) {
      throw new OwnTypeError("agent: the options must be an object")
    }
    const rest = plain.json(options, "agent")
    if (own.getOwnPropertyDescriptor(options, "prompt") !== undefined) {
      throw new OwnTypeError("agent: $.prompt: given twice")
    }
    return rest === "{}" ? `${first}}` : `${first},${own.slice(rest, 1)}`
  }

  const titleOf = (title: unknown): string => {
    if (typeof title === "string" && title !== "") return title
    throw new OwnTypeError("phase: the title must be a string that is not empty")
  }

  const make = (cell: PhaseCell): object => {
    const agent = (prompt: unknown, options?: unknown): Promise<unknown> => {
      const site = recorder.mark(agent)
      return fan.promised("agent", site, (settle) => {
        recorder.call("agent", agentJson(prompt, options), cell.title, settle, site)
      })
    }

    const whole = (verb: string) => {
      const named = (spec: unknown): Promise<unknown> => {
        const site = recorder.mark(named)
        return fan.promised(verb, site, (settle) => {
          recorder.call(verb, plain.json(spec, verb), cell.title, settle, site)
        })
      }
      return named
    }

    const swarm = (spec: unknown): Promise<unknown> => {
      const site = recorder.mark(swarm)
      return fan.promised("swarm", site, (settle) => {
        const accepted = fan.acceptOf(spec, "swarm")
        const counted = (answer: unknown): void => {
          const results = member(answer, "results")
          if (isArray(results)) {
            let done = 0
            for (let index = 0; index < results.length; index++) if (!fan.isLost(results[index])) done += 1
            recorder.slots(done, results.length, accepted)
          }
          settle(answer)
        }
        recorder.call("swarm", plain.json(spec, "swarm"), cell.title, counted, site)
      })
    }

    const keep = (value: unknown): SlotOutcome => ({ lost: fan.isLost(value), value })
    const broken = (error: unknown): SlotOutcome => ({ lost: true, value: fan.planFailure(error) })

    const gather = (
      count: number,
      options: unknown,
      verb: string,
      work: (index: number) => unknown,
      settle: (value: unknown) => void
    ): void => {
      const accepted = fan.acceptOf(options, verb)
      fan.slots(count, fan.concurrencyOf(options, verb), work, keep, broken, (values, answered) => {
        recorder.slots(answered, count, accepted)
        settle(values)
      })
    }

    const parallel = (thunks: unknown, options?: unknown): Promise<unknown> =>
      fan.promised("parallel", recorder.mark(parallel), (settle) => {
        const work = fan.functions(thunks, "parallel", "the thunks")
        gather(work.length, options, "parallel", (index) => work[index]?.(), settle)
      })

    const pipeline = (items: unknown, ...rest: Array<unknown>): Promise<unknown> =>
      fan.promised("pipeline", recorder.mark(pipeline), (settle) => {
        const last = rest.length === 0 ? undefined : rest[rest.length - 1]
        const options = typeof last === "object" && last !== null && !isArray(last) ? last : undefined
        const given: Array<unknown> = []
        const count = options === undefined ? rest.length : rest.length - 1
        for (let index = 0; index < count; index++) put(given, index, rest[index])
        const stages = fan.functions(given, "pipeline", "the stages")
        const all = fan.elements(items, "pipeline", "the items")
        const through = async (index: number): Promise<unknown> => {
          const item = all[index]
          let value: unknown = item
          for (let at = 0; at < stages.length; at++) {
            value = await stages[at]?.(value, item, index)
            if (fan.isLost(value)) return value
          }
          return value
        }
        gather(all.length, options, "pipeline", through, settle)
      })

    const phase = (title: unknown, body?: unknown): Promise<unknown> | undefined => {
      const name = titleOf(title)
      if (body === undefined) {
        cell.title = name
        recorder.phase(name)
        return undefined
      }
      if (typeof body !== "function") throw new OwnTypeError("phase: the body must be a function")
      return fan.promised("phase", recorder.mark(phase), (settle, fail) => {
        const before = cell.title
        cell.title = name
        recorder.phase(name)
        const leave = (): void => {
          if (cell.title === name) cell.title = before
        }
        const run = async (): Promise<unknown> => await body(make({ title: name }))
        own.then(
          run(),
          (value) => {
            leave()
            settle(value)
          },
          (error) => {
            leave()
            fail(error)
          }
        )
      })
    }

    const log = (message: unknown, data?: unknown): void => {
      recorder.log(text(message), data === undefined ? undefined : plain.json(data, "log"))
    }

    return freeze({
      phase,
      agent,
      parallel,
      pipeline,
      mission: whole("mission"),
      swarm,
      council: whole("council"),
      log
    })
  }

  return make({ title: undefined })
}
