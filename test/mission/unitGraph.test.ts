// Cycles are found exactly where they are.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { cycleOf, type Node } from "../../src/mission/unitGraph.ts"

const Edges = Schema.Array(Schema.Tuple([Schema.Int, Schema.Int]))
const size = 6
const graph = (edges: typeof Edges.Type, acyclic: boolean): ReadonlyArray<Node> => {
  const dependsOn = Array.from({ length: size }, () => new Set<number>())
  for (const [a, b] of edges) {
    const [from, to] = [Math.abs(a) % size, Math.abs(b) % size]
    if (!acyclic || to < from) dependsOn[from]?.add(to)
  }
  return dependsOn.map((on, n) => ({ id: `u${n}`, dependsOn: Array.from(on, (to) => `u${to}`) }))
}

describe("cycleOf", () => {
  it.prop("finds none where every edge goes back", [Edges], ([edges]) => {
    assert.isUndefined(cycleOf(graph(edges, true)))
  })

  it.prop("what it finds is a cycle, and where it finds none the graph can be sorted", [Edges], ([edges]) => {
    const nodes = graph(edges, false)
    const cycle = cycleOf(nodes)
    if (cycle === undefined) {
      const sorted: Array<string> = []
      for (let round = 0; round < size; round++) {
        for (const { dependsOn, id } of nodes) {
          if (!sorted.includes(id) && dependsOn.every((on) => sorted.includes(on))) sorted.push(id)
        }
      }
      assert.strictEqual(sorted.length, size)
      return
    }
    assert.strictEqual(cycle[0], cycle.at(-1))
    assert.isAtLeast(cycle.length, 2)
    for (const [index, id] of cycle.slice(0, -1).entries()) {
      assert.isTrue(nodes.find((node) => node.id === id)?.dependsOn.includes(cycle[index + 1] ?? ""))
    }
  })

  it("a chain of three thousand is no problem", () => {
    const chain = Array.from({ length: 3_000 }, (_, n) => ({
      id: `u${n}`,
      dependsOn: n === 0 ? [] : [`u${n - 1}`]
    }))
    assert.isUndefined(cycleOf(chain.toReversed()))
  })
})
