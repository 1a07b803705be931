// JSON pointers: the examples of RFC 6901, own members only.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { pointAt } from "../../src/verifier/pointer.ts"
import { pointerToken } from "../../src/domain/json/strictJson.ts"

const document = {
  foo: ["bar", "baz"],
  "": 0,
  "a/b": 1,
  "c%d": 2,
  "e^f": 3,
  "g|h": 4,
  "i\\j": 5,
  'k"l': 6,
  " ": 7,
  "m~n": 8
}

describe("pointAt", () => {
  it("the examples of RFC 6901", () => {
    const at = (pointer: string) => Result.getOrThrow(pointAt(document, pointer))
    assert.strictEqual(at(""), document)
    assert.deepStrictEqual(at("/foo"), ["bar", "baz"])
    assert.strictEqual(at("/foo/0"), "bar")
    for (const [key, value] of Object.entries(document)) {
      if (key !== "foo") assert.strictEqual(at(`/${pointerToken(key)}`), value)
    }
  })

  it("nothing inherited, nothing past the end, no other forms of an index", () => {
    for (const pointer of [
      "/constructor",
      "/foo/length",
      "/foo/2",
      "/foo/-",
      "/foo/00",
      "/foo/1e0",
      "/foo/0/0"
    ]) {
      assert.isUndefined(Result.getOrThrow(pointAt(document, pointer)), pointer)
    }
  })

  it("refuses what is not a pointer", () => {
    for (const pointer of ["foo", "/a~", "/a~2b", "#/foo"])
      assert.isTrue(Result.isFailure(pointAt(document, pointer)), pointer)
  })
})
