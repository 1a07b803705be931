// All that plans in files need, live: bundled by esbuild, run in a process of their own, what is made for them kept in
// the user's cache.
import { Layer } from "effect"
import type { PlanBundler } from "./bundler/PlanBundler.ts"
import * as PlanBundlerNode from "./bundler/PlanBundler.node.ts"
import type { PlanVm } from "./host/PlanVm.ts"
import * as PlanVmNode from "./host/PlanVm.node.ts"
import * as PlanCacheNode from "./prelude/PlanCache.node.ts"
import type { Prelude } from "./prelude/Prelude.ts"
import * as PreludeNode from "./prelude/Prelude.node.ts"

/** With the `PlanCache` that is provided. */
export const layerNoCache: Layer.Layer<PlanBundler | PlanVm | Prelude> = Layer.mergeAll(
  PlanBundlerNode.layer,
  PlanVmNode.layer,
  PreludeNode.layer
)

export const layer: Layer.Layer<PlanBundler | PlanVm | Prelude> = Layer.provide(
  layerNoCache,
  PlanCacheNode.layer
)
