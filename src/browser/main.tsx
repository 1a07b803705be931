// The page's beginning. A report has its run in itself; a page that is served asks for its runs.
import { render } from "preact"
import { embedded } from "./embedded.ts"
import { RunView } from "./RunView.tsx"
import { Served } from "./served/Served.tsx"

const root = document.querySelector("main")
const report = embedded()
if (root !== null) render(report === undefined ? <Served /> : <RunView {...report} />, root)
