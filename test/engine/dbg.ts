import { Effect, Layer } from "effect"
import { runPlanFile } from "../../src/engine/runPlanFile.ts"
import { replayRun } from "../../src/engine/replayRun.ts"
import { resumeRun } from "../../src/engine/resumeRun.ts"
import { EngineVersions } from "../../src/engine/EngineVersions.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Fs from "../../src/kernel/FsPort.node.ts"
import * as Host from "../../src/kernel/HostIdentity.node.ts"
import * as Vm from "../../src/plan/PlanVm.node.ts"
import { Prelude } from "../../src/plan/Prelude.ts"
import * as Bundler from "../../src/plan/PlanBundler.node.ts"
import { layerOffline } from "../../src/adapters/offlineRegistry.ts"
import { Guards } from "../../src/adapters/Guards.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
const live = Layer.mergeAll(
  Journal.layer({ baseDir: process.argv[3]! }),
  Vm.layer,
  Layer.succeed(Prelude, { load: () => Effect.die("x") }),
  Bundler.layer,
  layerOffline(),
  Guards.layer(),
  Layer.succeed(EngineVersions, { engine: "0", node: "0", v8: "0", icu: "0" })
).pipe(Layer.provide(Layer.mergeAll(Fs.layer, Host.layer, IdFactory.layerMonotonic, NodeServices.layer)))
const main = Effect.gen(function* () {
  const t0 = performance.now()
  const s = yield* runPlanFile({
    plan: process.argv[2]!,
    inputs: { goal: "g", attachments: [] },
    hermetic: true
  })
  console.log(JSON.stringify(s), performance.now() - t0)
  if (s.runId === undefined) return
  console.log(JSON.stringify(yield* resumeRun(s.runId, {})))
  const t1 = performance.now()
  console.log(JSON.stringify(yield* replayRun(s.runId)), performance.now() - t1)
})
Effect.runPromise(main.pipe(Effect.provide(live)))
