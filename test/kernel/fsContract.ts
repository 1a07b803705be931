// What every layer of FsPort promises, as one suite. `place` gives a fresh empty directory in the layer's own world.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream, type Layer, type Scope } from "effect"
import { FsPort, type FsError } from "../../src/kernel/files/FsPort.ts"

export interface FsWorld {
  readonly layer: Layer.Layer<FsPort>
  readonly dir: string
  readonly symlink: (path: string, target: string) => void
}

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (content: Uint8Array) => new TextDecoder().decode(content)

export const fsContract = (name: string, world: Effect.Effect<FsWorld, never, Scope.Scope>) =>
  describe(`FsPort contract: ${name}`, () => {
    const check = (
      title: string,
      body: (fs: typeof FsPort.Service, world: FsWorld) => Effect.Effect<unknown, FsError, Scope.Scope>
    ) =>
      it.effect(title, () =>
        Effect.gen(function* () {
          const here = yield* world
          yield* Effect.provide(
            Effect.flatMap(FsPort, (fs) => body(fs, here)),
            here.layer
          )
        })
      )

    const codeOf = <A>(self: Effect.Effect<A, FsError, Scope.Scope>) =>
      Effect.match(Effect.scoped(self), { onSuccess: () => "ok", onFailure: (error) => error.code })

    check("appends at the end, also after opening again", (fs, { dir }) =>
      Effect.gen(function* () {
        const path = `${dir}/log`
        yield* Effect.scoped(
          Effect.gen(function* () {
            const log = yield* fs.openAppend(path)
            assert.strictEqual(yield* log.size, 0)
            yield* log.append(bytes("one\n"))
            yield* log.sync
            yield* log.append(bytes("two\n"))
            yield* log.syncNow
            assert.strictEqual(yield* log.size, 8)
          })
        )
        const log = yield* fs.openAppend(path)
        assert.strictEqual(yield* log.size, 8)
        yield* log.append(bytes("three\n"))
        assert.strictEqual(text(yield* fs.readFile(path)), "one\ntwo\nthree\n")
      })
    )

    check("cuts a log and goes on from there", (fs, { dir }) =>
      Effect.gen(function* () {
        const log = yield* fs.openAppend(`${dir}/log`)
        yield* log.append(bytes("one\ntwo"))
        yield* log.truncate(4)
        yield* log.append(bytes("2\n"))
        assert.strictEqual(text(yield* fs.readFile(`${dir}/log`)), "one\n2\n")
      })
    )

    check("reads a part, and less only at the end", (fs, { dir }) =>
      Effect.gen(function* () {
        yield* fs.replace(`${dir}/file`, bytes("0123456789"))
        const file = yield* fs.openRead(`${dir}/file`)
        assert.strictEqual(yield* file.size, 10)
        assert.strictEqual(text(yield* file.read(3, 4)), "3456")
        assert.strictEqual(text(yield* file.read(8, 100)), "89")
        assert.strictEqual(text(yield* file.read(10, 5)), "")
      })
    )

    check("a reader sees what is appended after it opened", (fs, { dir }) =>
      Effect.gen(function* () {
        const log = yield* fs.openAppend(`${dir}/log`)
        const reader = yield* fs.openRead(`${dir}/log`)
        yield* log.append(bytes("later"))
        assert.strictEqual(text(yield* reader.read(0, 10)), "later")
      })
    )

    check("replaces whole files and leaves no temporary one", (fs, { dir }) =>
      Effect.gen(function* () {
        yield* fs.replace(`${dir}/file`, bytes("old"))
        yield* fs.replace(`${dir}/file`, bytes("new, and longer"))
        assert.strictEqual(text(yield* fs.readFile(`${dir}/file`)), "new, and longer")
        assert.deepStrictEqual(yield* fs.list(dir), ["file"])
      })
    )

    check("two hundred replacements at once never show half a file", (fs, { dir }) =>
      Effect.gen(function* () {
        const path = `${dir}/checkpoint`
        yield* fs.replace(path, bytes("0:"))
        const observe = Effect.map(fs.readFile(path), (content) => {
          const [n = "", rest = ""] = text(content).split(":")
          assert.strictEqual(rest.length, Number(n) % 2 === 0 ? 0 : 50_000)
        })
        yield* Effect.forEach(
          Array.from({ length: 200 }, (_, n) => n),
          (n) =>
            Effect.andThen(fs.replace(path, bytes(`${n}:${"x".repeat(n % 2 === 0 ? 0 : 50_000)}`)), observe),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(yield* fs.list(dir), ["checkpoint"])
      })
    )

    check("replaces many files at once", (fs, { dir }) =>
      Effect.gen(function* () {
        yield* fs.replaceAll(dir, [])
        const files = Array.from({ length: 40 }, (_, n) => ({ name: `f${n}`, bytes: bytes(`content ${n}`) }))
        yield* fs.replaceAll(dir, files)
        for (const { bytes, name } of files)
          assert.deepStrictEqual(text(yield* fs.readFile(`${dir}/${name}`)), text(bytes))
        assert.strictEqual((yield* fs.list(dir)).length, 40)
      })
    )

    check("creates exclusively: the first one wins, whole", (fs, { dir }) =>
      Effect.gen(function* () {
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 8 }, (_, n) => n),
          (n) => codeOf(fs.createExclusive(`${dir}/lock`, bytes(`owner ${n}`))),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(outcomes.filter((outcome) => outcome === "ok").length, 1)
        assert.strictEqual(outcomes.filter((outcome) => outcome === "EEXIST").length, 7)
        assert.strictEqual(text(yield* fs.readFile(`${dir}/lock`)), `owner ${outcomes.indexOf("ok")}`)
        assert.deepStrictEqual(yield* fs.list(dir), ["lock"])
      })
    )

    check("makes directories with their parents, again without complaint", (fs, { dir }) =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(`${dir}/a/b/c`)
        yield* fs.makeDirectory(`${dir}/a/b/c`)
        assert.strictEqual((yield* fs.stat(`${dir}/a/b/c`))?.type, "directory")
      })
    )

    check("says that a file, or a link to nowhere, stands where a directory should", (fs, { dir, symlink }) =>
      Effect.gen(function* () {
        yield* fs.replace(`${dir}/file`, bytes(""))
        assert.strictEqual(yield* codeOf(fs.makeDirectory(`${dir}/file`)), "ENOTDIR")
        symlink(`${dir}/dangling`, `${dir}/nowhere`)
        assert.notStrictEqual(yield* codeOf(fs.makeDirectory(`${dir}/dangling/runs`)), "ok")
        assert.strictEqual(yield* codeOf(fs.makeDirectory(`${dir}/file/runs`)), "ENOTDIR")
      })
    )

    check("lists names in order of code units, and what is absent is an error", (fs, { dir }) =>
      Effect.gen(function* () {
        for (const name of ["b", "a10", "a2", "B"]) yield* fs.replace(`${dir}/${name}`, bytes(name))
        assert.deepStrictEqual(yield* fs.list(dir), ["B", "a10", "a2", "b"])
        assert.strictEqual(yield* codeOf(fs.list(`${dir}/none`)), "ENOENT")
        assert.strictEqual(yield* codeOf(fs.readFile(`${dir}/none`)), "ENOENT")
        assert.strictEqual(yield* codeOf(fs.openRead(`${dir}/none`)), "ENOENT")
        assert.strictEqual(yield* fs.stat(`${dir}/none`), undefined)
      })
    )

    check("renames and removes, absent or not", (fs, { dir }) =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(`${dir}/from/inner`)
        yield* fs.replace(`${dir}/from/inner/file`, bytes("x"))
        yield* fs.rename(`${dir}/from`, `${dir}/to`)
        assert.strictEqual(text(yield* fs.readFile(`${dir}/to/inner/file`)), "x")
        yield* fs.remove(`${dir}/to/inner/file`)
        yield* fs.remove(`${dir}/to/inner/file`)
        yield* fs.replace(`${dir}/to/inner/file`, bytes("x"))
        yield* fs.removeTree(`${dir}/to`)
        yield* fs.removeTree(`${dir}/to`)
        assert.deepStrictEqual(yield* fs.list(dir), [])
      })
    )

    check("follows no symbolic link, and leaves its target alone", (fs, { dir, symlink }) =>
      Effect.gen(function* () {
        yield* fs.replace(`${dir}/sentinel`, bytes("untouched"))
        symlink(`${dir}/link`, `${dir}/sentinel`)
        assert.strictEqual((yield* fs.stat(`${dir}/link`))?.type, "symlink")
        assert.strictEqual(yield* codeOf(fs.openAppend(`${dir}/link`)), "ELOOP")
        assert.strictEqual(yield* codeOf(fs.openRead(`${dir}/link`)), "ELOOP")
        assert.strictEqual(yield* codeOf(fs.readFile(`${dir}/link`)), "ELOOP")
        assert.strictEqual(yield* codeOf(fs.createExclusive(`${dir}/link`, bytes("x"))), "EEXIST")
        yield* fs.replace(`${dir}/link`, bytes("a file of its own now"))
        assert.strictEqual(text(yield* fs.readFile(`${dir}/sentinel`)), "untouched")
      })
    )

    check("keeps sixty-four appenders' lines whole", (fs, { dir }) =>
      Effect.gen(function* () {
        const log = yield* fs.openAppend(`${dir}/log`)
        yield* Stream.range(1, 640).pipe(
          Stream.mapEffect((n) => Effect.andThen(log.append(bytes(`${n}:${"x".repeat(n)}\n`)), log.sync), {
            concurrency: 64
          }),
          Stream.runDrain
        )
        const lines = text(yield* fs.readFile(`${dir}/log`))
          .trimEnd()
          .split("\n")
        assert.strictEqual(lines.length, 640)
        for (const line of lines) assert.strictEqual(line.split(":")[1]?.length, Number(line.split(":")[0]))
      })
    )
  })
