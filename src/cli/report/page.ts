// The page that a report is: its style and its script, as they stand in it. The script filters and opens calls and does
// nothing else; without it the page is whole. Both are named by their hash in the page's Content-Security-Policy, so that
// nothing else in it runs.

export const style = `
:root { color-scheme: light dark; --ink: #1c2024; --dim: #5b6470; --paper: #ffffff; --edge: #d8dde3; --tint: #f4f6f8;
  --good: #1a7f37; --bad: #c0272d; --warn: #8a5a00; --bar: #3b73c4 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --dim: #9aa4af; --paper: #14171a; --edge: #343a41;
  --tint: #1d2226; --good: #57c274; --bad: #ff7b7b; --warn: #e2b24c; --bar: #6ea2ea } }
* { box-sizing: border-box }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
main { max-width: 1100px; margin: 0 auto; padding: 1.5rem 1rem 4rem }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; overflow-wrap: anywhere }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--edge); padding-bottom: .25rem }
p, dl { margin: .25rem 0 } .dim { color: var(--dim) }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(7rem, 1fr)); gap: .5rem 1rem }
dt { color: var(--dim); font-size: .85rem } dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--tint); border: 1px solid var(--edge);
  border-radius: 4px; padding: .5rem .75rem; margin: .25rem 0 .75rem; font: 13px/1.45 ui-monospace, monospace }
details.call { border-bottom: 1px solid var(--edge); content-visibility: auto; contain-intrinsic-size: auto 2.2rem }
details.call > summary { cursor: pointer; padding: .35rem .25rem; display: flex; gap: .75rem; align-items: baseline }
details.call > summary:focus-visible, input:focus-visible, select:focus-visible { outline: 2px solid var(--bar); outline-offset: 1px }
summary .n { min-width: 3.5ch; text-align: right; color: var(--dim); font-variant-numeric: tabular-nums }
summary .name { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
summary .facts { color: var(--dim); font-size: .85rem; white-space: nowrap; font-variant-numeric: tabular-nums }
details.call > div { padding: .25rem 0 .75rem 2rem }
h3 { font-size: .95rem; margin: .5rem 0 .1rem }
.completed { color: var(--good) } .failed { color: var(--bad) } .other { color: var(--warn) }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin: .5rem 0; align-items: center }
input, select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--dim); border-radius: 4px; padding: .25rem .5rem }
input { flex: 1; min-width: 10rem }
svg { display: block; width: 100%; height: auto; background: var(--tint); border: 1px solid var(--edge); border-radius: 4px }
svg text { fill: var(--dim); font: 11px system-ui, sans-serif } svg .bar { fill: var(--bar) } svg .failed { fill: var(--bad) }
svg .other { fill: var(--warn) } svg .line { fill: none; stroke: var(--bar); stroke-width: 2 }
figure { margin: 0 0 1rem } figcaption { color: var(--dim); font-size: .85rem }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem }
@media (max-width: 600px) { summary .facts { display: none } details.call > div { padding-left: .5rem } }
@media print { form { display: none } details.call { content-visibility: visible } }
`

export const script = `
const calls = [...document.querySelectorAll("details.call")]
const search = document.querySelector("#search"), status = document.querySelector("#status")
const told = document.querySelector("#told")
let texts
const filter = () => {
  texts ??= calls.map((call) => call.textContent.toLowerCase())
  const sought = search.value.toLowerCase()
  let shown = 0
  calls.forEach((call, at) => {
    const fits = texts[at].includes(sought) && (status.value === "" || call.dataset.status === status.value)
    call.hidden = !fits
    if (fits) shown++
  })
  told.textContent = shown + " of " + calls.length + " calls"
}
let due
search.addEventListener("input", () => { clearTimeout(due); due = setTimeout(filter, 120) })
status.addEventListener("change", filter)
const open = () => {
  const call = document.getElementById(location.hash.slice(1))
  if (call && call.matches("details.call")) { call.hidden = false; call.open = true; call.scrollIntoView() }
}
addEventListener("hashchange", open)
open()
`
