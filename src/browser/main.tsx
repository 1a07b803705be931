// The page's beginning. A report has its run in itself, a difference its two; a page that is served asks for its runs.
import { render } from "preact"
import { DiffView } from "./DiffView.tsx"
import { embeddedDiff, embeddedRun } from "./embedded.ts"
import { RunView } from "./RunView.tsx"
import { Served } from "./served/Served.tsx"

const Whole = () => {
  const diff = embeddedDiff()
  if (diff !== undefined) return <DiffView page={diff} />
  const run = embeddedRun()
  return run === undefined ? <Served /> : <RunView {...run} />
}

const root = document.querySelector("main")
// What stands there is for browsers without JavaScript.
root?.replaceChildren()
if (root !== null) render(<Whole />, root)
