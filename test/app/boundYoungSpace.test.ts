// A process that makes much that lives for a moment, as one that reads a long log does, keeps its young space small.
import { execFileSync } from "node:child_process"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"

const bound = fileURLToPath(new URL("../../src/app/boundYoungSpace.ts", import.meta.url))

/**
 * Megabytes of young space after that work: first until it has the size it may have, then, once that has been seen, as
 * much again as would make it grow if it could.
 */
const youngSpace = (before: string): number => {
  const script = `
    import { getHeapSpaceStatistics } from "node:v8"
    ${before}
    const size = () => getHeapSpaceStatistics().find((one) => one.space_name === "new_space").space_size / 2 ** 20
    const alive = []
    const work = (from) => {
      for (let n = from; n < from + 2_000; n++) alive[n % 200_000] = { n, text: "t" + n }
    }
    let made = 0
    for (; size() < 32; made += 2_000) work(made)
    await new Promise((resolve) => setTimeout(resolve, 300))
    for (const until = made + 3_000_000; made < until; made += 2_000) work(made)
    console.log(size())`
  const args = ["--input-type=module", "--disable-warning=ExperimentalWarning", "-e", script]
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }))
}

it("a command's young space stays where a larger one is no faster", () => {
  const free = youngSpace("")
  const bounded = youngSpace(`(await import(${JSON.stringify(bound)})).boundYoungSpace()`)
  assert.strictEqual(bounded, 32)
  assert.isAbove(free, bounded)
})
