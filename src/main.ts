#!/usr/bin/env node
// The command `alembic`. Everything it does is cli/'s; which implementations it does it with is app/'s.
import process from "node:process"
import { runMain } from "./app/runMain.ts"

runMain(process.argv.slice(2))
