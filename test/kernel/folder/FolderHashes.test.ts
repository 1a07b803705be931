// A folder's hashes tell every change of what stands in it, and nothing else: not when it was touched, and not what
// was said not to be looked at.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FolderHashes, folded, isAmong, unknown } from "../../../src/kernel/folder/FolderHashes.ts"
import * as FolderHashesNode from "../../../src/kernel/folder/FolderHashes.node.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "alembic-folder-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
const looking = Effect.map(
  FolderHashes,
  (look) =>
    (root: string, ...without: ReadonlyArray<string>) =>
      look === undefined ? Effect.succeed([]) : look({ root, without })
).pipe(Effect.provide(FolderHashesNode.layer))

describe("FolderHashes", () => {
  it.live("tells each kind of change, by its path", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const look = yield* looking
      mkdirSync(join(root, "lib"))
      writeFileSync(join(root, "lib/a.js"), "one")
      writeFileSync(join(root, "b"), "two")
      const kept = yield* look(root)
      assert.deepStrictEqual(
        kept.map(([path]) => path),
        ["b", "lib/a.js"]
      )
      assert.deepStrictEqual(yield* look(root), kept)
      const { atime, mtime } = statSync(join(root, "b"))
      const changes: ReadonlyArray<readonly [why: string, change: () => void]> = [
        [
          "content of the same size, with the old times",
          () => {
            writeFileSync(join(root, "b"), "owt")
            utimesSync(join(root, "b"), atime, mtime)
          }
        ],
        ["a file more", () => writeFileSync(join(root, "c"), "")],
        ["a file less", () => rmSync(join(root, "c"))],
        ["another name", () => renameSync(join(root, "b"), join(root, "d"))],
        ["one that may be run", () => chmodSync(join(root, "d"), 0o755)],
        ["one that others may write", () => chmodSync(join(root, "d"), 0o666)],
        ["a folder with nothing in it", () => mkdirSync(join(root, "build"))],
        ["the same folder gone", () => rmdirSync(join(root, "build"))],
        ["a name that is not UTF-8", () => writeFileSync(Buffer.from(`${root}/f\xff`, "latin1"), "one")],
        ["another one like it", () => writeFileSync(Buffer.from(`${root}/f\xfe`, "latin1"), "one")],
        ["content below such a name", () => writeFileSync(Buffer.from(`${root}/f\xff`, "latin1"), "two")],
        [
          "a link in its place",
          () => {
            rmSync(join(root, "d"))
            symlinkSync("lib/a.js", join(root, "d"))
          }
        ],
        [
          "a link to elsewhere",
          () => {
            rmSync(join(root, "d"))
            symlinkSync("/etc/hostname", join(root, "d"))
          }
        ],
        ["a pipe, which is not opened", () => execFileSync("mkfifo", [join(root, "pipe")])]
      ]
      let before = yield* look(root)
      for (const [why, change] of changes) {
        change()
        const after = yield* look(root)
        assert.notDeepEqual(after, before, why)
        before = after
      }
    })
  )

  it.live("does not tell when a file was only touched, nor what stands where nobody shall look", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const look = yield* looking
      mkdirSync(join(root, ".git"))
      writeFileSync(join(root, "a"), "one")
      writeFileSync(join(root, ".git/index"), "1")
      const kept = yield* look(root, ".git/", "log")
      utimesSync(join(root, "a"), 1, 1)
      writeFileSync(join(root, ".git/index"), "2")
      writeFileSync(join(root, "log"), "2")
      assert.deepStrictEqual(yield* look(root, ".git/", "log"), kept)
    })
  )

  it.live("says what it could not look at", () =>
    Effect.gen(function* () {
      const look = yield* looking
      const root = yield* folder
      writeFileSync(join(root, "a"), "")
      assert.deepStrictEqual(yield* look(join(root, "a", "none")), [])
      mkdirSync(join(root, "closed"))
      chmodSync(join(root, "closed"), 0)
      // Who may read everything has read it: it is empty.
      const entry = (yield* look(root)).find(([path]) => path === "closed/")
      assert.isTrue(entry?.[1] === "empty" || entry?.[1].startsWith(unknown))
      chmodSync(join(root, "closed"), 0o755)
    })
  )
})

describe("folded", () => {
  const many = Array.from({ length: 300 }, (_, n) => [`lib/${n % 3}/${n}`, `h${n}`] as const)

  it("keeps at most so many entries, and one for installed packages; a change stays in its entry", () => {
    const all = [...many, ["node_modules/x/y.js", "h"], ["app/node_modules/z", "h"], ["a", "h"]] as const
    const entries = folded(all, 10)
    assert.deepStrictEqual(
      entries.map(([path]) => path),
      ["a", "app/node_modules/", "lib/0/", "lib/1/", "lib/2/", "node_modules/"]
    )
    const after = folded(
      all.map(([path, hash]) => [path, path === "lib/1/4" ? "other" : hash] as const),
      10
    )
    const changed = after.filter(([path, hash]) => new Map(entries).get(path) !== hash)
    assert.deepStrictEqual(
      changed.map(([path]) => path),
      ["lib/1/"]
    )
  })

  it("folds nothing that fits", () => {
    assert.deepStrictEqual(folded([["a/b", "h"]]), [["a/b", "h"]])
  })
})

describe("isAmong", () => {
  it("a file by its whole path, a folder with all in it", () => {
    for (const path of ["log", "out", "out/a", "out/a/b"]) assert.isTrue(isAmong(["log", "out/"], path), path)
    for (const path of ["log2", "a/log", "output", "a/out/b"])
      assert.isFalse(isAmong(["log", "out/"], path), path)
  })
})
