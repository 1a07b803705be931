// The version of this package, from its own package.json: beside src/ in a checkout, beside dist/ when installed.
import packageJson from "../../package.json" with { type: "json" }

export const { version } = packageJson
