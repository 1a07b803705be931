// webUrl: URL and URLSearchParams, made inside the plan's context, after the URL Standard. Left out: the mapping of
// Unicode domain names (a host that is not ASCII is refused) and the drive letters of file URLs. Evaluated inside the
// plan's context: see intrinsics.ts.
import type { Forbid } from "../forbid.ts"
import type { Intrinsics } from "../intrinsics.ts"
import type { urlParser, UrlRecord } from "./urlParser.ts"

export const webUrl = (
  own: Intrinsics,
  { reach, advice }: Forbid,
  parser: ReturnType<typeof urlParser>
): void => {
  const { put, text, isArray, TypeError: OwnTypeError } = own
  const { decodeForm, encodeForm } = parser
  const iterator: typeof Symbol.iterator = Symbol.iterator
  const split = own.uncurry<string, [string], Array<string>>(String.prototype.split)
  const indexOf = own.uncurry(String.prototype.indexOf)
  const startsWith = own.uncurry(String.prototype.startsWith)

  type Pair = [name: string, value: string]

  const pairsOf = (query: string): Array<Pair> => {
    const pairs: Array<Pair> = []
    const parts = split(query, "&")
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] ?? ""
      if (part === "") continue
      const at = indexOf(part, "=")
      const pair: Pair =
        at < 0
          ? [decodeForm(part), ""]
          : [decodeForm(own.slice(part, 0, at)), decodeForm(own.slice(part, at + 1))]
      put(pairs, pairs.length, pair)
    }
    return pairs
  }

  const pairsFrom = (init: unknown): Array<Pair> => {
    if (init === undefined) return []
    if (typeof init !== "object" || init === null) {
      const query = text(init)
      return pairsOf(startsWith(query, "?") ? own.slice(query, 1) : query)
    }
    const pairs: Array<Pair> = []
    const add = (pair: unknown): void => {
      if (!isArray(pair) || pair.length !== 2) throw new OwnTypeError("Each query pair must be [name, value]")
      put(pairs, pairs.length, [text(pair[0]), text(pair[1])])
    }
    if (isIterable(init)) for (const pair of init) add(pair)
    else {
      const keys = own.ownKeys(init)
      for (let index = 0; index < keys.length; index++) {
        const key = keys[index]
        if (typeof key === "string") add([key, own.read(init, key)])
      }
    }
    return pairs
  }

  const isIterable = (value: object): value is Iterable<unknown> =>
    typeof own.read(value, iterator) === "function"

  class URLSearchParams {
    #pairs: Array<Pair>
    #changed: ((query: string) => void) | undefined
    constructor(init?: unknown) {
      this.#pairs = init instanceof URLSearchParams ? pairsOf(init.toString()) : pairsFrom(init)
    }
    static bind(
      key: unknown,
      params: URLSearchParams,
      query: string,
      changed: (query: string) => void
    ): void {
      if (key !== secret) return
      params.#pairs = pairsOf(query)
      params.#changed = changed
    }
    #set(pairs: Array<Pair>): void {
      this.#pairs = pairs
      this.#changed?.(this.toString())
    }
    get size(): number {
      return this.#pairs.length
    }
    append(name: unknown, value: unknown): void {
      this.#set([...this.#pairs, [text(name), text(value)]])
    }
    delete(name: unknown, value?: unknown): void {
      const isIt = ([at, has]: Pair) => at === text(name) && (value === undefined || has === text(value))
      this.#set(this.#pairs.filter((pair) => !isIt(pair)))
    }
    get(name: unknown): string | null {
      return this.#pairs.find(([at]) => at === text(name))?.[1] ?? null
    }
    getAll(name: unknown): Array<string> {
      return this.#pairs.filter(([at]) => at === text(name)).map(([, value]) => value)
    }
    has(name: unknown, value?: unknown): boolean {
      return this.#pairs.some(
        ([at, has]) => at === text(name) && (value === undefined || has === text(value))
      )
    }
    set(name: unknown, value: unknown): void {
      let placed = false
      const pairs: Array<Pair> = []
      for (const pair of this.#pairs) {
        if (pair[0] !== text(name)) pairs.push(pair)
        else if (!placed) {
          pairs.push([pair[0], text(value)])
          placed = true
        }
      }
      if (!placed) pairs.push([text(name), text(value)])
      this.#set(pairs)
    }
    sort(): void {
      this.#set(this.#pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
    }
    toString(): string {
      return this.#pairs.map(([name, value]) => `${encodeForm(name)}=${encodeForm(value)}`).join("&")
    }
    forEach(visit: (value: string, name: string, params: URLSearchParams) => void, receiver?: unknown): void {
      for (const [name, value] of this.#pairs) own.apply(visit, receiver, [value, name, this])
    }
    *entries(): Generator<Pair> {
      for (const [name, value] of this.#pairs) yield [name, value]
    }
    *keys(): Generator<string> {
      for (const [name] of this.#pairs) yield name
    }
    *values(): Generator<string> {
      for (const [, value] of this.#pairs) yield value
    }
    [Symbol.iterator](): Generator<Pair> {
      return this.entries()
    }
  }
  const secret = {}
  const { bind } = URLSearchParams
  Reflect.deleteProperty(URLSearchParams, "bind")
  put(URLSearchParams.prototype, Symbol.toStringTag, "URLSearchParams", false)

  class URL {
    #record: UrlRecord
    #params: URLSearchParams | undefined
    constructor(input: unknown, base?: unknown) {
      const url = parser.parse(text(input), base === undefined ? undefined : text(base))
      if (url === undefined) throw new OwnTypeError("Invalid URL")
      this.#record = url
    }
    static canParse(input: unknown, base?: unknown): boolean {
      return parser.parse(text(input), base === undefined ? undefined : text(base)) !== undefined
    }
    static parse(input: unknown, base?: unknown): URL | null {
      return URL.canParse(input, base) ? new URL(input, base) : null
    }
    static createObjectURL(): never {
      return reach("URL.createObjectURL()", advice.ids)
    }
    #change(part: string, value: unknown): void {
      this.#record = parser.change(this.#record, part, text(value))
      if (this.#params !== undefined) this.#bind(this.#params)
    }
    #bind(params: URLSearchParams): URLSearchParams {
      const query = this.#record.query ?? ""
      bind(secret, params, query, (changed) => {
        this.#record = { ...this.#record, query: changed === "" ? undefined : changed }
      })
      return params
    }
    get href(): string {
      return parser.serialize(this.#record)
    }
    set href(value: unknown) {
      const url = parser.parse(text(value), undefined)
      if (url === undefined) throw new OwnTypeError("Invalid URL")
      this.#record = url
      if (this.#params !== undefined) this.#bind(this.#params)
    }
    get origin(): string {
      return parser.originOf(this.#record)
    }
    get protocol(): string {
      return `${this.#record.scheme}:`
    }
    set protocol(value: unknown) {
      this.#change("protocol", value)
    }
    get username(): string {
      return this.#record.username
    }
    set username(value: unknown) {
      this.#change("username", value)
    }
    get password(): string {
      return this.#record.password
    }
    set password(value: unknown) {
      this.#change("password", value)
    }
    get host(): string {
      return parser.hostOf(this.#record)
    }
    set host(value: unknown) {
      this.#change("host", value)
    }
    get hostname(): string {
      return this.#record.host ?? ""
    }
    set hostname(value: unknown) {
      this.#change("hostname", value)
    }
    get port(): string {
      return this.#record.port === undefined ? "" : text(this.#record.port)
    }
    set port(value: unknown) {
      this.#change("port", value)
    }
    get pathname(): string {
      return parser.pathOf(this.#record)
    }
    set pathname(value: unknown) {
      this.#change("pathname", value)
    }
    get search(): string {
      const { query } = this.#record
      return query === undefined || query === "" ? "" : `?${query}`
    }
    set search(value: unknown) {
      this.#change("search", value)
    }
    get hash(): string {
      const { fragment } = this.#record
      return fragment === undefined || fragment === "" ? "" : `#${fragment}`
    }
    set hash(value: unknown) {
      this.#change("hash", value)
    }
    get searchParams(): URLSearchParams {
      this.#params ??= this.#bind(new URLSearchParams())
      return this.#params
    }
    toString(): string {
      return this.href
    }
    toJSON(): string {
      return this.href
    }
  }
  put(URL.prototype, Symbol.toStringTag, "URL", false)

  put(own.global, "URL", URL, false)
  put(own.global, "URLSearchParams", URLSearchParams, false)
}
