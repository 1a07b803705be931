// A temporary folder with files, for tests that load plans from the disk. Removed when the scope closes.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"

/** Writes `files` (path → text) and `links` (path → target), and answers with the folder's absolute path. */
export const planFolder = (
  files: Readonly<Record<string, string | Uint8Array>>,
  links: Readonly<Record<string, string>> = {}
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), "alembic-plan-")))
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), content)
      }
      for (const [path, target] of Object.entries(links)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        symlinkSync(target, join(folder, path))
      }
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
