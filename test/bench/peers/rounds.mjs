// What every peer's process does: the three cases of `npm run bench:peers` in a folder, one JSON line of numbers out.
// A peer gives `calls(dir, count, inFlight)` and `resume(dir, count)`, both in milliseconds of the calls alone.
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"

/** What every call answers: 1 KB. */
export const text = "x".repeat(1024)

/** Runs `count` tasks, `inFlight` of them at once. */
export const pool = async (count, inFlight, task) => {
  let next = 0
  const worker = async () => {
    while (next < count) await task(next++)
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}

/** `args`: folder, case (or `all`), number of calls, number of calls to warm up with. */
export const rounds = async (peer, args) => {
  const [parent, only = "all", count = "1000", warm = "300"] = args
  const calls = Number(count)
  const inFolder = async (measure) => {
    const dir = mkdtempSync(join(parent, "peer-"))
    const measured = await measure(dir)
    rmSync(dir, { recursive: true, force: true })
    return measured
  }
  const wants = (name) => only === "all" || only === name
  if (Number(warm) > 0) {
    if (wants("sequential")) await inFolder((dir) => peer.calls(dir, Number(warm), 1))
    if (wants("concurrent")) await inFolder((dir) => peer.calls(dir, Number(warm), 64))
    if (wants("resume")) await inFolder((dir) => peer.resume(dir, Number(warm)))
  }
  const micros = (ms) => (ms * 1000) / calls
  const seen = {
    ...(wants("sequential")
      ? { sequentialUs: micros(await inFolder((dir) => peer.calls(dir, calls, 1))) }
      : {}),
    ...(wants("concurrent")
      ? { concurrentUs: micros(await inFolder((dir) => peer.calls(dir, calls, 64))) }
      : {}),
    ...(wants("resume") ? { resumeMs: await inFolder((dir) => peer.resume(dir, calls)) } : {})
  }
  process.stdout.write(`${JSON.stringify({ ...seen, peakMb: process.resourceUsage().maxRSS / 1024 })}\n`)
}
