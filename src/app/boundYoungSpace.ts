// The command's memory is bounded in a long run too. V8 lets the space of young objects grow to some hundred megabytes
// where many live for a moment, as those of a log that is read do, and never gives it back: a third of what a run of a
// million events may take. It is kept from growing once it has the size from which a larger one is no faster (seen:
// half a million calls replayed in 46 s either way, with 325 MB and with 246). A library leaves this to its app.
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

const enoughBytes = 32 * 1024 * 1024
const everyMs = 100

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0

/** Looks now and then until it is large enough. V8 reads the flag whenever it would make it grow. */
export const boundYoungSpace = (): void => {
  const looking = setInterval(() => {
    if (youngBytes() < enoughBytes) return
    clearInterval(looking)
    setFlagsFromString("--semi-space-growth-factor=1")
  }, everyMs)
  looking.unref()
}
