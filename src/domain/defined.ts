/** The properties of `T`, each one absent where its value is undefined. */
type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/**
 * The properties that have a value. A property that is not there and one that is `undefined` are two things, to the
 * types (`exactOptionalPropertyTypes`) and to whoever hashes or compares an object; `{ id, ...defined({ label }) }`
 * builds one that has what there is.
 */
export function defined<T extends object>(properties: T): Defined<T>
export function defined(properties: object): object {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined) kept[name] = value
  }
  return kept
}
