// Random plans as text: calls in sequence, nested fan-outs, pipelines, races, and semaphores built by hand, whose later
// calls depend on which answers came first. A plan is a function of its seed.

/** Numbers in [0, below), a function of the seed. */
export const generator = (seed: number) => {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** The body of `run(h)`; it returns what it saw, in the order it saw it. */
export const randomPlan = (seed: number): string => {
  const next = generator(seed)
  let names = 0
  const name = () => `p${++names}`
  const prompt = () => `"${next(8) === 0 ? "fail " : ""}${name()} " + seen.length`

  const call = () => `seen.push(textOf(await h.agent(${prompt()})))`

  const block = (depth: number): string => Array.from({ length: 1 + next(2) }, () => step(depth)).join("\n")

  const thunk = (depth: number) => `async () => { ${block(depth + 1)}; return seen.length }`

  const list = (depth: number, size: number) => Array.from({ length: size }, () => thunk(depth)).join(", ")

  const step = (depth: number): string => {
    switch (depth > 2 ? 0 : next(7)) {
      case 1:
        return `seen.push(await h.parallel([${list(depth, 2 + next(2))}], { concurrency: ${1 + next(3)} }))`
      case 2:
        return `await Promise.all([${list(depth, 2)}].map((f) => f()))`
      case 3:
        return `seen.push((await h.pipeline(["x", "y", "z"], (item) => h.agent(item + seen.length), async (r, item, i) => { if (i === ${next(4)}) throw new Error("stage"); ${call()}; return textOf(r) })).map(slotOf))`
      case 4:
        return `seen.push(textOf(await Promise.race([h.agent(${prompt()}), h.agent(${prompt()})])))`
      case 5:
        return `await (async () => {
          const jobs = [${list(depth, 3)}]; let at = 0
          const worker = async () => { while (at < jobs.length) await jobs[at++]() }
          await Promise.all([worker(), worker()])
        })()`
      case 6:
        return `await h.phase("${name()}", async (h) => { ${block(depth + 1)} })`
      default:
        return call()
    }
  }

  return `const seen = []
    const textOf = (r) => (r.ok ? r.text : r.error.code)
    const slotOf = (slot) => (typeof slot === "string" ? slot : slot.error.code)
    ${block(0)}
    ${block(0)}
    return seen`
}
