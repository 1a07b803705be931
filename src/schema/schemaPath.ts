// Places in a JSON Schema, and what is said of them.

/** `path` is a place in the schema, as in `$.properties.age`. */
export interface SchemaProblem {
  readonly path: string
  readonly problem: string
}

/** The place one step further in. */
export const at = (path: string, key: string | number): string =>
  typeof key === "number" || !/^[A-Za-z_$][\w$-]*$/.test(key)
    ? `${path}[${JSON.stringify(key)}]`
    : `${path}.${key}`
