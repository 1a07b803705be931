// Plans that import npm packages, from folders made for a test: loaded, and played in their own process.
import { Effect } from "effect"
import { loadPlan } from "../../src/plan/load/loadPlan.ts"
import { PlanVm } from "../../src/plan/host/PlanVm.ts"
import { Prelude } from "../../src/plan/prelude/Prelude.ts"
import * as PlansNode from "../../src/plan/plans.node.ts"
import { planFolder } from "./planFolder.ts"
import { play } from "./planHarness.ts"

export const liveRoom = PlansNode.layer

/** The files of a package of one module. */
export const packageOf = (name: string, text: string, isModule = true): Record<string, string> => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({
    name,
    version: "1.0.0",
    ...(isModule ? { type: "module", exports: "./main.js" } : { main: "./main.js" })
  }),
  [`node_modules/${name}/main.js`]: text
})

/** A plan whose result is `value`, after one call. */
export const planOf = (imports: string, value: string): string =>
  `${imports}\nexport const run = async (h) => {\nconst one = await h.agent("x")\nreturn ${value}\n}\n`

export const playFile = Effect.fnUntraced(function* (path: string, goal = "the goal") {
  const { bundle } = yield* loadPlan(path)
  const imports = bundle.kind === "module" ? bundle.imports : []
  const prelude = imports.length === 0 ? {} : { prelude: yield* (yield* Prelude).load(imports) }
  return yield* play(yield* (yield* PlanVm).launch(bundle, { goal, files: [] }, prelude))
})

/** Plays `plan.js` among `files`. */
export const playWith = Effect.fnUntraced(function* (
  files: Readonly<Record<string, string>>,
  plan: string,
  goal?: string
) {
  const folder = yield* planFolder({ ...files, "plan.js": plan })
  return yield* playFile(`${folder}/plan.js`, goal)
})
