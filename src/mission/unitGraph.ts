// The graph of units by what they depend on: cycles are found and named. Pure.

export interface Node {
  readonly id: string
  readonly dependsOn: ReadonlyArray<string>
}

/** A cycle, as the ids in it from one back to itself, or undefined. Ids that are not nodes are ignored. */
export const cycleOf = (nodes: ReadonlyArray<Node>): ReadonlyArray<string> | undefined => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const done = new Set<string>()
  for (const start of nodes) {
    // Depth first without recursion: `path` is where we are, `next` how far each of its nodes has been looked at.
    const path: Array<string> = []
    const next: Array<number> = []
    const enter = (id: string) => {
      path.push(id)
      next.push(0)
    }
    if (!done.has(start.id)) enter(start.id)
    while (path.length > 0) {
      const at = path.length - 1
      const here = path[at] ?? ""
      const dependency = byId.get(here)?.dependsOn[next[at] ?? 0]
      next[at] = (next[at] ?? 0) + 1
      if (dependency === undefined) {
        done.add(here)
        path.pop()
        next.pop()
      } else if (path.includes(dependency)) {
        return [...path.slice(path.indexOf(dependency)), dependency]
      } else if (byId.has(dependency) && !done.has(dependency)) enter(dependency)
    }
  }
  return undefined
}
