// Attachments: which files a glob brings, in which order, what is left out, and what is refused.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { platformLayer } from "../../../src/app/layers.ts"
import { maxFileBytes, maxTotalBytes, readAttachments } from "../../../src/cli/inputs/attachments.ts"
import { testHost } from "../../support/commandLine.ts"
import { planFolder } from "../../support/planFolder.ts"

/** What the patterns bring from a folder with these files; `at` is the working directory inside it. */
const attach = (
  files: Readonly<Record<string, string | Uint8Array>>,
  patterns: ReadonlyArray<string>,
  more: {
    readonly secrets?: boolean
    readonly links?: Readonly<Record<string, string>>
    readonly at?: string
  } = {}
) =>
  Effect.gen(function* () {
    const folder = yield* planFolder(files, more.links)
    const cwd = more.at === undefined ? folder : `${folder}/${more.at}`
    const layer = Layer.merge(platformLayer, testHost({ cwd }))
    return yield* Effect.provide(
      readAttachments(
        patterns.map((pattern) => pattern.replaceAll("$CWD", cwd)),
        { baseDir: ".alembic", secrets: more.secrets ?? false }
      ),
      layer
    )
  })

const pathsOf = (...given: Parameters<typeof attach>) =>
  Effect.map(attach(...given), ({ attachments }) => attachments.map(({ path }) => path))

const refusal = (...given: Parameters<typeof attach>) => Effect.flip(attach(...given))

const tree = {
  "src/a.ts": "a",
  "src/b.ts": "b",
  "src/deep/c.ts": "c",
  "src/d.md": "d",
  ".hidden/e.ts": "e",
  "Z.ts": "z",
  "é.ts": "é"
}

describe("attachments", () => {
  it.live("are sorted by UTF-16 code unit, whatever the order of the patterns", () =>
    Effect.gen(function* () {
      const sorted = [".hidden/e.ts", "Z.ts", "src/a.ts", "src/b.ts", "src/deep/c.ts", "é.ts"]
      assert.deepStrictEqual(yield* pathsOf(tree, ["src/**/*.ts", "*.ts", ".hidden/*.ts"]), sorted)
      assert.deepStrictEqual(yield* pathsOf(tree, ["**/*.ts"]), sorted)
    })
  )

  for (const [pattern, expected] of [
    ["src/*.ts", ["src/a.ts", "src/b.ts"]],
    ["src/**", ["src/a.ts", "src/b.ts", "src/d.md", "src/deep/c.ts"]],
    ["src", ["src/a.ts", "src/b.ts", "src/d.md", "src/deep/c.ts"]],
    ["./src/deep/", ["src/deep/c.ts"]],
    ["src/{a,d}.*", ["src/a.ts", "src/d.md"]],
    ["src/[ab].ts", ["src/a.ts", "src/b.ts"]],
    ["$CWD/src/a.ts", ["src/a.ts"]],
    ["src/a.ts", ["src/a.ts"]]
  ] as const) {
    it.live(`${pattern} brings ${expected.join(", ")}`, () =>
      Effect.map(pathsOf(tree, [pattern]), (paths) => assert.deepStrictEqual(paths, [...expected]))
    )
  }

  it.live("are sorted by their whole path, not folder by folder", () =>
    Effect.map(pathsOf({ "src/a.ts": "", "src-b/x.ts": "", "src.ts": "" }, ["**/*.ts"]), (paths) =>
      assert.deepStrictEqual(paths, ["src-b/x.ts", "src.ts", "src/a.ts"])
    )
  )

  it.live("leave out what .gitignore names, at every level, as git does", () =>
    Effect.gen(function* () {
      const files = {
        ".gitignore": "*.log\nbuild/\n/top.ts\n",
        "top.ts": "",
        "a.log": "",
        "build/x.ts": "",
        "src/top.ts": "",
        "src/build/y.ts": "",
        "src/.gitignore": "!keep.log\nsecret/**\n",
        "src/keep.log": "",
        "src/other.log": "",
        "src/secret/z.ts": "",
        "src/a.ts": ""
      }
      assert.deepStrictEqual(yield* pathsOf(files, ["**/*"]), [
        ".gitignore",
        "src/.gitignore",
        "src/a.ts",
        "src/keep.log",
        "src/top.ts"
      ])
    })
  )

  it.live("heed the .gitignore files above, up to the repository's root and no further", () =>
    Effect.gen(function* () {
      const files = {
        ".gitignore": "c.ts\n",
        "repo/.git/HEAD": "",
        "repo/.gitignore": "a.ts\n/sub/b.ts\n",
        "repo/sub/a.ts": "",
        "repo/sub/b.ts": "",
        "repo/sub/c.ts": ""
      }
      assert.deepStrictEqual(yield* pathsOf(files, ["*.ts"], { at: "repo/sub" }), ["c.ts"])
    })
  )

  it.live("never bring node_modules, .git or the runs themselves", () =>
    Effect.gen(function* () {
      const files = { "node_modules/m/a.ts": "", ".git/a.ts": "", ".alembic/runs/a.ts": "", "a.ts": "" }
      assert.deepStrictEqual(yield* pathsOf(files, ["**/*.ts"]), ["a.ts"])
    })
  )

  it.live("skip binaries with a notice, by their bytes and not by their names", () =>
    Effect.gen(function* () {
      const { attachments, notices } = yield* attach(
        {
          "a.ts": new Uint8Array([104, 0, 105]),
          "b.png": "text all the same",
          "c.txt": new Uint8Array([0xc3, 0x28]),
          "d.txt": "héllo"
        },
        ["*"]
      )
      assert.deepStrictEqual(
        attachments.map(({ path }) => path),
        ["b.png", "d.txt"]
      )
      assert.deepStrictEqual(notices, [
        "a.ts is binary and was not attached",
        "c.txt is binary and was not attached"
      ])
    })
  )

  it.live("are read as they are, to the byte", () =>
    Effect.gen(function* () {
      const { attachments } = yield* attach({ "a.txt": "\ufeffone\r\ntwo" }, ["a.txt"])
      assert.deepStrictEqual(attachments[0]?.bytes, new TextEncoder().encode("\ufeffone\r\ntwo"))
    })
  )

  it.live("follow a link to a file inside, and no link that leads outside", () =>
    Effect.gen(function* () {
      const files = { "out/secret.ts": "s", "work/a.ts": "a" }
      const links = {
        "work/in.ts": "a.ts",
        "work/out.ts": "../out/secret.ts",
        "work/folder": "../out",
        "work/dead.ts": "nowhere"
      }
      assert.deepStrictEqual(yield* pathsOf(files, ["**/*.ts"], { at: "work", links }), ["a.ts", "in.ts"])
    })
  )

  for (const pattern of ["../x.ts", "src/../../x.ts", "/etc/passwd", "**/../x"]) {
    it.live(`${pattern} is outside`, () =>
      Effect.map(refusal(tree, [pattern]), ({ code, status }) =>
        assert.deepStrictEqual([code, status], ["outside", "invalid"])
      )
    )
  }

  for (const pattern of ["nothing/*.ts", "", "src/a"]) {
    it.live(`${JSON.stringify(pattern)} matches nothing, and says so`, () =>
      Effect.map(refusal(tree, ["src/a.ts", pattern]), ({ code }) => assert.strictEqual(code, "no_match"))
    )
  }

  it.live("say that .gitignore is why nothing matches", () =>
    Effect.map(refusal({ ".gitignore": "dist\n", "dist/a.js": "" }, ["dist/**"]), ({ message }) =>
      assert.match(message, /ignored by \.gitignore/)
    )
  )

  for (const name of [".env", ".env.local", "conf/.env.production", "id_rsa", "cert.pem", ".npmrc"]) {
    it.live(`${name} is refused, unless it was said that a model may read it`, () =>
      Effect.gen(function* () {
        const files = { [name]: "A=1", "a.ts": "a" }
        const refused = yield* refusal(files, ["**"])
        assert.strictEqual(refused.code, "secret_attached")
        assert.include(refused.message, name)
        assert.deepStrictEqual(yield* pathsOf(files, ["**"], { secrets: true }), [name, "a.ts"].toSorted())
      })
    )
  }

  it.live("an example of an .env file is no secret", () =>
    Effect.map(pathsOf({ ".env.example": "KEY=" }, ["**"]), (paths) =>
      assert.deepStrictEqual(paths, [".env.example"])
    )
  )

  it.live("content shaped like a key is refused by file and line, and never shown", () =>
    Effect.gen(function* () {
      const key = `sk-ant-${"a1B2c3D4".repeat(6)}`
      const refused = yield* refusal({ "src/a.ts": `const a = 1\nconst key = "${key}"\n` }, ["src/*"])
      assert.strictEqual(refused.code, "secret_attached")
      assert.match(refused.message, /src\/a\.ts:2 /)
      assert.notInclude(JSON.stringify(refused), key.slice(7, 20))
    })
  )

  it.live("a file over the limit is named with its size", () =>
    Effect.map(refusal({ "big.txt": "x".repeat(maxFileBytes + 1) }, ["big.txt"]), ({ code, message }) => {
      assert.strictEqual(code, "too_large")
      assert.match(message, /big\.txt has 4\.0 MiB/)
    })
  )

  it.live("files over the limit together are refused", () =>
    Effect.gen(function* () {
      const each = "x".repeat(maxFileBytes)
      const count = Math.floor(maxTotalBytes / maxFileBytes) + 1
      const files = Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.txt`, each]))
      const { code, message } = yield* refusal(files, ["*.txt"])
      assert.strictEqual(code, "too_large")
      assert.match(message, /9 files with 36\.0 MiB/)
    })
  )
})
