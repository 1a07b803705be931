// The tests: what counts as one, how long it may take, and that `alembic` means the sources beside it.
import process from "node:process"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const source = (file: string) => fileURLToPath(new URL(`src/${file}`, import.meta.url))

const kept = (kind: string) => fileURLToPath(new URL(`node_modules/.cache/${kind}`, import.meta.url))

const tests = ["test/**/*.test.ts"]
const never = ["test/bench/**", "test/fixtures/**", "test/replay/**"]
const alone = [
  "test/adapters/providers/aiSdk.*.test.ts",
  "test/adapters/providers/commandEnvironment.test.ts",
  "test/cli/trust/trust.test.ts",
  "test/mission/**/ProofRunner.node.test.ts",
  "test/plan/planCache.test.ts"
]
const matrices = [
  "test/e2e/*.test.ts",
  "test/cli/oldRuns.test.ts",
  "test/engine/{crash,durability,divergence,endings,results,reuse,sameBytes}.test.ts",
  "test/journal/{faults,kill}.test.ts",
  "test/linearExpressions.test.ts",
  "test/pack.test.ts",
  "test/plan/{determinismCases,planEndings}.test.ts"
]

export default defineConfig({
  resolve: {
    alias: [
      { find: /^alembic$/, replacement: source("index.ts") },
      { find: /^alembic\/plan$/, replacement: source("plan.ts") },
      { find: /^alembic\/testing$/, replacement: source("testing.ts") }
    ]
  },
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // What a user's own directories keep is kept between test runs, but not in the user's own.
    env: { XDG_CACHE_HOME: kept("cache"), XDG_STATE_HOME: kept("state") },
    // Real processes, sockets and disks on a machine shared with others: one that was starved is tried once more.
    retry: process.env["CI"] === undefined ? 0 : 1,
    projects: [
      // `npm test`: files share a process and what it has loaded, so they leave it as they found it.
      {
        extends: true,
        test: { name: "house", isolate: false, include: tests, exclude: [...never, ...matrices, ...alone] }
      },
      // `npm test` too: files that change the environment or the builtins of their process.
      { extends: true, test: { name: "alone", include: alone, exclude: never } },
      // `npm run test:matrices`: what is tried at every boundary, in every combination, or with the shipped command.
      { extends: true, test: { name: "matrices", include: matrices, exclude: never } }
    ]
  }
})
