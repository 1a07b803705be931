// Comments may come first.
export const meta = {
  name: "pipeline",
  description: "Draft, check, polish, each item on its own"
}

const results = await pipeline(
  ["intro", "fail body", "end"],
  (item) => agent(`Draft ${item}`, { phase: "Draft" }),
  (draft, item) =>
    item === "end" ? Promise.reject(new Error("no end")) : agent(`Check ${draft}`, { phase: "Check" }),
  (checked, item, index) => ({ index, item, checked })
)
return results
