#!/usr/bin/env node
// The command `alembic`. Everything it does is cli/'s; which implementations it does it with is app/'s. What will
// surely run a plan starts the plan's process first, which then comes up while all the rest is loaded.
import process from "node:process"
import { startAhead } from "./app/startAhead.ts"

const args = process.argv.slice(2)
startAhead(args)
const { runMain } = await import("./app/runMain.ts")
runMain(args)
