export const meta = {
  name: "fan-out",
  description: "One agent a file, then a summary",
  phases: ["Read", { title: "Sum up" }]
}

phase("Read")
const files = args.files
const notes = (await parallel(files.map((file) => () => agent(`Read ${file}`, { label: file })))).filter(
  Boolean
)
phase("Sum up")
const summary = await agent(`Sum up:\n${notes.join("\n")}`)
return { summary, coverage: `${notes.length} of ${files.length}` }
