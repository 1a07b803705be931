// What made a run, for its meta.json: versions of engine and platform. Read in app/; a service, so that tests and
// hermetic comparisons can pin it.
import { Context } from "effect"
import type { Versions } from "../journal/store/RunMeta.ts"

export class EngineVersions extends Context.Service<EngineVersions, Versions>()(
  "alembic/engine/EngineVersions"
) {}
