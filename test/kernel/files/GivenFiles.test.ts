// What somebody may put where a file is read: each is named, none is waited for, none leads out of the folder.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { GivenFiles } from "../../../src/kernel/files/GivenFiles.ts"
import * as GivenFilesNode from "../../../src/kernel/files/GivenFiles.node.ts"
import { planFolder } from "../../support/planFolder.ts"

const read = (root: string, path: string, maxBytes?: number) =>
  GivenFiles.use((files) => files.read(root, path, maxBytes === undefined ? {} : { maxBytes })).pipe(
    Effect.map((bytes) => new TextDecoder().decode(bytes)),
    Effect.provide(GivenFilesNode.layer)
  )

const refusal = (root: string, path: string, maxBytes?: number) =>
  Effect.map(Effect.flip(read(root, path, maxBytes)), ({ code, message }) => ({ code, message }))

/** A folder `in` beside a secret. */
const folder = Effect.map(
  planFolder({ "secret.txt": "secret", "in/a.txt": "a", "in/deep/b.txt": "b", "private/c.txt": "c" }),
  (outer) => ({ outer, root: join(outer, "in") })
)

describe("GivenFiles", () => {
  it.live("reads regular files, also through links that stay inside, also where the root is a link", () =>
    Effect.gen(function* () {
      const { outer, root } = yield* folder
      symlinkSync("deep/b.txt", join(root, "link"))
      symlinkSync("deep", join(root, "way"))
      symlinkSync(root, join(outer, "also"))
      for (const [path, text] of Object.entries({
        "a.txt": "a",
        "deep/b.txt": "b",
        link: "b",
        "way/b.txt": "b"
      })) {
        assert.strictEqual(yield* read(root, path), text)
        assert.strictEqual(yield* read(join(outer, "also"), path), text)
      }
    })
  )

  it.live(
    "never leads out of its root: by name, by a link, by a directory of links, by a link to a link",
    () =>
      Effect.gen(function* () {
        const { outer, root } = yield* folder
        symlinkSync("../secret.txt", join(root, "link"))
        symlinkSync(join(outer, "secret.txt"), join(root, "absolute"))
        symlinkSync("../private", join(root, "way"))
        symlinkSync("way", join(root, "byway"))
        // A root whose name begins as the other's.
        mkdirSync(join(outer, "inside"))
        writeFileSync(join(outer, "inside", "d.txt"), "d")
        symlinkSync("../inside/d.txt", join(root, "near"))
        const paths = [
          "../secret.txt",
          "link",
          "absolute",
          "way/c.txt",
          "byway/c.txt",
          "near",
          "deep/../../secret.txt"
        ]
        for (const path of paths) assert.strictEqual((yield* refusal(root, path)).code, "outside", path)
      })
  )

  it.live("names what is no regular file, and does not wait for it", () =>
    Effect.gen(function* () {
      const { root } = yield* folder
      execFileSync("mkfifo", [join(root, "pipe")])
      symlinkSync("pipe", join(root, "piped"))
      const server = createServer()
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => server.listen(join(root, "socket"), resolve))),
        () => Effect.sync(() => server.close())
      )
      for (const path of ["pipe", "piped"]) {
        assert.deepInclude(yield* refusal(root, path), {
          code: "not_regular",
          message: "it is a named pipe, and only regular files are read"
        })
      }
      assert.include((yield* refusal(root, "socket")).message, "a socket")
      assert.include((yield* refusal("/dev", "zero")).message, "a device")
      assert.strictEqual((yield* refusal(root, "deep")).code, "directory")
      assert.strictEqual((yield* refusal(root, "none")).code, "missing")
      assert.strictEqual((yield* refusal(root, "a.txt/none")).code, "missing")
      symlinkSync("loop", join(root, "loop"))
      assert.strictEqual((yield* refusal(root, "loop")).code, "outside")
    })
  )

  it.live("reads no more than its limit, whatever the file says of its size", () =>
    Effect.gen(function* () {
      const { root } = yield* folder
      writeFileSync(join(root, "large"), "x".repeat(5000))
      assert.strictEqual((yield* read(root, "large", 5000)).length, 5000)
      assert.deepStrictEqual(yield* refusal(root, "large", 4999), {
        code: "too_large",
        message: "it is over 4999 bytes"
      })
      appendFileSync(join(root, "large"), "y")
      assert.strictEqual((yield* refusal(root, "large", 5000)).code, "too_large")
    })
  )

  it.live.skipIf(process.platform !== "linux")("reads files that say they are empty to their end", () =>
    Effect.gen(function* () {
      assert.include(yield* read("/proc/self", "status"), "VmPeak")
      assert.strictEqual((yield* refusal("/proc", "kallsyms", 10_000)).code, "too_large")
    })
  )
})
