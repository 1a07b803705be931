// insideSource: the script that is evaluated first in a plan's context. The parts of inside/ are ordinary modules to
// the compiler; what goes into the context is their text, so that every object there belongs to it.
import { instead } from "../determinism/catalogue.ts"
import { assemble, type Parts } from "../inside/assemble.ts"
import { planConsole } from "../inside/console.ts"
import { driver } from "../inside/driver.ts"
import { fanOut } from "../inside/fanOut.ts"
import { forbid } from "../inside/forbid.ts"
import { hardenHost } from "../inside/hardenHost.ts"
import { hardenTime } from "../inside/hardenTime.ts"
import { intrinsics } from "../inside/intrinsics.ts"
import { callers } from "../inside/packages/callers.ts"
import { eventObjects } from "../inside/packages/eventObjects.ts"
import { packageGlobals } from "../inside/packages/packageGlobals.ts"
import { timers } from "../inside/packages/timers.ts"
import { plainJson } from "../inside/plainJson.ts"
import { record } from "../inside/record.ts"
import { urlParser } from "../inside/web/urlParser.ts"
import { verbs } from "../inside/verbs.ts"
import { webObjects } from "../inside/web/webObjects.ts"
import { webText } from "../inside/web/webText.ts"
import { webUrl } from "../inside/web/webUrl.ts"
import { workflow } from "../inside/workflow.ts"

const parts: Omit<Parts, "advice"> = {
  intrinsics,
  plainJson,
  record,
  forbid,
  callers,
  eventObjects,
  timers,
  packageGlobals,
  hardenTime,
  hardenHost,
  planConsole,
  webText,
  webObjects,
  urlParser,
  webUrl,
  fanOut,
  verbs,
  workflow,
  driver
}

/** A script whose value is a function of the limits (as JSON text) that gives the host its side of the context. */
export const insideSource = (): string => {
  const functions = Object.entries(parts).map(([name, part]) => `${name}: (${part.toString()})`)
  const members = [...functions, `advice: ${JSON.stringify(instead)}`]
  return `"use strict"; (limits) => (${assemble.toString()})({\n${members.join(",\n")}\n}, JSON.parse(limits))`
}
