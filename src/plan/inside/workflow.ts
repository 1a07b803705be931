// workflow: the globals of an agent-workflow script: text, objects and nulls where plan modules have results. Same
// recorder, same journal. Evaluated inside the plan's context: see intrinsics.ts.
import type { FanOut, SlotOutcome } from "./fanOut.ts"
import type { Intrinsics } from "./intrinsics.ts"
import type { PlainJson } from "./plainJson.ts"
import type { Recorder } from "./record.ts"

export const workflow = (own: Intrinsics, plain: PlainJson, recorder: Recorder, fan: FanOut) => {
  const { put, member, isArray, text, freeze, parse, stringify, slice, TypeError: OwnTypeError } = own
  const OwnError = own.Error
  const split = own.uncurry<string, [string], Array<string>>(String.prototype.split)
  const infinity = Infinity
  const longestList = 4096
  const mostAgents = 1000
  /** Options that an agent call takes by name; the rest goes to the provider as it is, under `workflow`. */
  /** One item of a fan-out: whether a call that was made for it failed and left a null. */
  interface Slot {
    failed: boolean
    over: boolean
  }
  const passed = ["model", "schema", "system", "maxOutputTokens", "temperature", "timeoutMs", "cache"]

  return (input: unknown, nested: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
    const total = member(input, "budgetOutputTokens")
    let spent = 0
    let agents = 0
    let group: string | undefined
    /**
     * The slot whose work runs now. Answers come one at a time and the script runs until it is quiet after each: so what
     * runs after the answer of a call is of the slot that the call was made in, until another slot's work begins.
     */
    let slot: Slot | undefined
    const warned: Record<string, boolean> = own.create(null)

    const optionsJson = (prompt: string, options: unknown): string => {
      let out = `{"prompt":${plain.json(prompt, "agent: $.prompt")}`
      if (options === undefined || options === null) return `${out}}`
      // One reading of the author's object; the rest works on the copy.
      const given: object = parse(plain.json(options, "agent"))
      let rest = ""
      const keys = own.ownKeys(given)
      for (let index = 0; index < keys.length; index++) {
        const key = keys[index]
        if (typeof key !== "string" || key === "phase") continue
        const value = plain.json(own.read(given, key), "agent")
        let known = key === "label"
        for (let at = 0; at < passed.length; at++) if (passed[at] === key) known = true
        if (known) {
          out += `,${stringify(key)}:${value}`
          continue
        }
        const usual = key === "effort" || key === "agentType" || key === "isolation" || key === "stallMs"
        if (!usual && warned[key] !== true) {
          warned[key] = true
          recorder.log(
            `agent: the option ${stringify(key)} is not one of the dialect's; it is kept`,
            undefined
          )
        }
        rest += `${rest === "" ? "" : ","}${stringify(key)}:${value}`
      }
      return rest === "" ? `${out}}` : `${out},"providerOptions":{"workflow":{${rest}}}}`
    }

    /** What a script sees of a result; null is a loss. Throws where the dialect does. */
    const read = (result: unknown, structured: boolean): unknown => {
      const tokens = member(member(result, "usage"), "outputTokens")
      if (typeof tokens === "number") spent += tokens
      if (member(result, "ok") === true) return member(result, structured ? "output" : "text")
      const error = member(result, "error")
      const code = member(error, "code")
      const unmet = structured && (code === "invalid_response" || code === "invalid_input")
      if (unmet || code === "budget_exceeded") throw new OwnError(`agent: ${text(member(error, "message"))}`)
      return null
    }

    const agent = (prompt: unknown, options?: unknown): Promise<unknown> => {
      const site = recorder.mark(agent)
      const of = slot
      return fan.promised("agent", site, (settle, fail) => {
        if (typeof prompt !== "string") throw new OwnTypeError("agent: the prompt must be a string")
        if (agents >= mostAgents) throw new OwnError(`agent: more than ${mostAgents} agents in one run`)
        agents += 1
        const json = optionsJson(prompt, options)
        const own_ = member(options, "phase")
        const structured = member(options, "schema") !== undefined
        const finish = (result: unknown): void => {
          slot = of
          try {
            const value = read(result, structured)
            if (value === null && member(result, "ok") !== true) {
              if (of !== undefined && !of.over) of.failed = true
              else recorder.slots(0, 1, false)
            }
            settle(value)
          } catch (error) {
            fail(error)
          }
        }
        recorder.call("agent", json, typeof own_ === "string" ? own_ : group, finish, site)
      })
    }

    const broken = (error: unknown): SlotOutcome => {
      recorder.log(`a slot is null: ${fan.messageOf(error)}`, undefined)
      return { lost: true, value: null }
    }

    /** A null that the script gives of itself is what it says; one that a failed call left is a loss. */
    const gather = (
      count: number,
      work: (index: number, mine: Slot) => unknown,
      settle: (value: unknown) => void
    ): void => {
      const around = slot
      const slots: Array<Slot> = []
      for (let index = 0; index < count; index++) put(slots, index, { failed: false, over: false })
      const one = async (index: number): Promise<SlotOutcome> => {
        const mine = slots[index] ?? { failed: false, over: false }
        try {
          const value = await work(index, mine)
          return { lost: mine.failed && (value === null || value === undefined), value }
        } finally {
          mine.over = true
        }
      }
      const outcomeOf = (outcome: unknown): SlotOutcome => ({
        lost: member(outcome, "lost") === true,
        value: member(outcome, "value")
      })
      fan.slots(count, recorder.limits.list, one, outcomeOf, broken, (values, answered) => {
        recorder.slots(answered, count, false)
        slot = around
        settle(values)
      })
    }

    /** Calls the author's function as the work of a slot. */
    const within = (mine: Slot, work: () => unknown): unknown => {
      const before = slot
      slot = mine
      try {
        return work()
      } finally {
        slot = before
      }
    }

    const bounded = (list: unknown, verb: string): void => {
      if (isArray(list) && list.length > longestList) {
        throw new OwnTypeError(`${verb}: a list of ${list.length}; at most ${longestList}`)
      }
    }

    const parallel = (thunks: unknown): Promise<unknown> =>
      fan.promised("parallel", recorder.mark(parallel), (settle) => {
        bounded(thunks, "parallel")
        const work = fan.functions(thunks, "parallel", "the thunks")
        gather(work.length, (index, mine) => within(mine, () => work[index]?.()), settle)
      })

    const pipeline = (items: unknown, ...rest: Array<unknown>): Promise<unknown> =>
      fan.promised("pipeline", recorder.mark(pipeline), (settle) => {
        bounded(items, "pipeline")
        const stages = fan.functions(rest, "pipeline", "the stages")
        const all = fan.elements(items, "pipeline", "the items")
        const through = async (index: number, mine: Slot): Promise<unknown> => {
          const item = all[index]
          let value: unknown = item
          for (let at = 0; at < stages.length; at++) {
            const previous = value
            value = await within(mine, () => stages[at]?.(previous, item, index))
          }
          return value
        }
        gather(all.length, through, settle)
      })

    const phase = (title: unknown): void => {
      group = text(title)
      recorder.phase(group)
    }

    const log = (message: unknown): void => recorder.log(text(message), undefined)

    const remaining = (): number => {
      if (typeof total !== "number") return infinity
      return total > spent ? total - spent : 0
    }
    const budget = freeze({
      total: typeof total === "number" ? total : null,
      spent: (): number => spent,
      remaining
    })

    /** A path without `.`, `..` and empty parts where they can be spared: as scripts that a path may mean are kept. */
    const plainPath = (path: string): string => {
      const parts: Array<string> = []
      let count = 0
      const given = split(path, "/")
      for (let index = 0; index < given.length; index++) {
        const part = given[index] ?? ""
        if (part === "" || part === ".") continue
        if (part === ".." && count > 0 && parts[count - 1] !== "..") count -= 1
        else {
          put(parts, count, part)
          count += 1
        }
      }
      let out = ""
      for (let index = 0; index < count; index++) out += `${index === 0 ? "" : "/"}${parts[index] ?? ""}`
      return out
    }

    const scriptNamed = (name: string): ((globals: ReadonlyArray<unknown>) => unknown) | undefined => {
      for (let index = 0; index + 1 < nested.length; index += 2) {
        const script = nested[index + 1]
        if (nested[index] !== name || typeof script !== "function") continue
        return (globals) => own.apply(script, undefined, globals)
      }
      return undefined
    }

    const scriptOf = (ref: unknown): ((globals: ReadonlyArray<unknown>) => unknown) => {
      const name = typeof ref === "string" ? ref : member(ref, "scriptPath")
      if (typeof name !== "string") throw new OwnTypeError("workflow: give a name or { scriptPath }")
      const script = scriptNamed(name) ?? (name === ref ? undefined : scriptNamed(plainPath(name)))
      if (script !== undefined) return script
      const where = name === ref ? "beside this one" : "in this one's project"
      throw new OwnError(`workflow: there is no script ${stringify(slice(name, 0, 200))} ${where}`)
    }

    const globalsOf = (args: unknown, depth: number): Array<unknown> => {
      const run = (ref: unknown, given?: unknown): Promise<unknown> =>
        fan.promised("workflow", recorder.mark(run), (settle, fail) => {
          if (depth > 0) throw new OwnError("workflow: scripts nest one level deep")
          const script = scriptOf(ref)
          const before = group
          const of = slot
          const start = async (): Promise<unknown> => await script(globalsOf(given, depth + 1))
          own.then(
            start(),
            (value) => {
              group = before
              slot = of
              settle(value)
            },
            (error) => {
              group = before
              slot = of
              fail(error)
            }
          )
        })
      const all: Array<unknown> = []
      const list = [agent, parallel, pipeline, phase, log, args, budget, run]
      for (let index = 0; index < list.length; index++) put(all, index, list[index])
      return all
    }

    return globalsOf(member(input, "args"), 0)
  }
}
