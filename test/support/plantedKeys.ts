// Two hundred keys of many shapes, the same in every run, and the ways in which they come back in foreign text.
const alphabets = {
  base62: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  url: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
  base64: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  hex: "0123456789abcdef",
  odd: "abcXYZ019!#$%&'()*+,-./:;<=>?@[]^_`{|}~\"\\"
}

/** A small generator with a fixed seed: the keys must be the same in every run. */
const makeNext = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const shapes: ReadonlyArray<readonly [prefix: string, alphabet: keyof typeof alphabets, length: number]> = [
  ["sk-", "base62", 48],
  ["sk-proj-", "url", 120],
  ["sk-ant-api03-", "url", 90],
  ["sk-or-v1-", "hex", 64],
  ["AIza", "url", 35],
  ["gsk_", "base62", 52],
  ["xai-", "base62", 80],
  ["hf_", "base62", 34],
  ["ghp_", "base62", 36],
  ["pplx-", "base62", 48],
  ["", "hex", 32],
  ["", "hex", 64],
  ["", "base62", 40],
  ["", "base64", 44],
  ["", "odd", 24],
  ["", "odd", 12],
  ["token ", "base62", 30],
  ["Bearer ", "base62", 40],
  ["", "base62", 9],
  ["nvapi-", "url", 64]
]

export const plantedKeys: ReadonlyArray<string> = (() => {
  const next = makeNext(42)
  return Array.from({ length: 200 }, (_, index) => {
    const [prefix, alphabet, length] = shapes[index % shapes.length] ?? ["", "hex", 32]
    const letters = alphabets[alphabet]
    const key = prefix + Array.from({ length }, () => letters[next(letters.length)] ?? "a").join("")
    return index % 7 === 0 ? `${key}\n` : key
  })
})()

const base64 = (text: string) => Buffer.from(text).toString("base64")

/** How a key comes back. */
export const comebacks: Readonly<Record<string, (key: string) => string>> = {
  raw: (key) => `Incorrect API key provided: ${key}. You can find your API key at https://x.test.`,
  "percent-encoded": (key) => `GET /v1/models?key=${encodeURIComponent(key)} failed`,
  "every byte percent-encoded": (key) =>
    `bad query ${Array.from(Buffer.from(key), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")}`,
  base64: (key) => `header was ${base64(key)}`,
  "base64 of Basic credentials": (key) => `Authorization: Basic ${base64(`user:${key}`)}`,
  "base64 at another alignment": (key) => `blob ${base64(`ab${key}zz`)} end`,
  "JSON-escaped": (key) => `{"headers":${JSON.stringify(JSON.stringify({ authorization: key }))}`,
  "partly, first half": (key) =>
    `key starting with ${key.trim().slice(0, Math.max(8, key.length / 2))} is not valid`,
  "partly, last half": (key) =>
    `key ending in ${key.trim().slice(-Math.max(8, key.length / 2))} is not valid`,
  "masked by stars": (key) =>
    `Incorrect API key provided: ${key.trim().slice(0, 6)}*****${key.trim().slice(-4)}.`,
  "cut by dots": (key) => `invalid key ${key.trim().slice(0, 7)}...${key.trim().slice(-4)} given`,
  "as a header": (key) => `x-api-key: ${key}`,
  "in a URL's userinfo": (key) => `cannot reach https://user:${encodeURIComponent(key)}@host.test/v1`,
  "in a Headers TypeError": (key) => `Headers.append: "Bearer ${key}" is an invalid header value.`,
  "HTML-escaped in a page": (key) =>
    `<html><body>token ${key.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;")}</body></html>`,
  "between other words": (key) => `${"word ".repeat(60)}${key}${" word".repeat(60)}`
}

/** Fails unless nothing of the key is left in `text`: no piece of 8 characters of it, in any of its forms. */
export const pieceLeft = (text: string, key: string): string | undefined => {
  const bare = key.trim().replace(/^(?:token|Bearer) /, "")
  const forms = [bare, encodeURIComponent(bare), base64(bare).slice(0, -4), JSON.stringify(bare).slice(1, -1)]
  for (const form of forms) {
    for (let index = 0; index + 8 <= form.length; index++) {
      const piece = form.slice(index, index + 8)
      if (text.includes(piece)) return piece
    }
  }
  return undefined
}
