// The tests: what counts as one, how long it may take, and that `alembic` means the sources beside it.
import process from "node:process"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const source = (file: string) => fileURLToPath(new URL(`src/${file}`, import.meta.url))

const kept = (kind: string) => fileURLToPath(new URL(`node_modules/.cache/${kind}`, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^alembic$/, replacement: source("index.ts") },
      { find: /^alembic\/plan$/, replacement: source("plan.ts") },
      { find: /^alembic\/testing$/, replacement: source("testing.ts") }
    ]
  },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/bench/**", "test/fixtures/**", "test/replay/**"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // What a user's own directories keep is kept between test runs, but not in the user's own.
    env: { XDG_CACHE_HOME: kept("cache"), XDG_STATE_HOME: kept("state") },
    // Real processes, sockets and disks on a machine shared with others: one that was starved is tried once more.
    retry: process.env["CI"] === undefined ? 0 : 1
  }
})
