// guardOf: the same yes or no as `Schema.is`, some ten times as fast. A schema's own check parses: it makes a copy and
// would explain what is wrong. Every line of a log is checked whenever a run is opened, and nobody wants the copy.
// Compiled from the schema, so that there is one truth about a shape; what is not one of the plain forms below goes
// to `Schema.is` itself.
import { Schema, SchemaAST } from "effect"

type Guard = (value: unknown) => boolean

const isRecord = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const asGiven = {}

/** Checks that stand beside a form, as `Int` beside a number; undefined if they are not plain filters. */
const filtersOf = (ast: SchemaAST.AST): ReadonlyArray<Guard> | undefined => {
  const filters: Array<Guard> = []
  for (const check of ast.checks ?? []) {
    if (check._tag !== "Filter") return undefined
    filters.push((value) => check.run(value, ast, asGiven) === undefined)
  }
  return filters
}

const structOf = (ast: SchemaAST.Objects): Guard | undefined => {
  if (ast.indexSignatures.length > 0 || ast.propertySignatures.length === 0) return undefined
  const members = ast.propertySignatures.map(({ name, type }) => ({
    name,
    optional: SchemaAST.isOptional(type),
    guard: compile(type)
  }))
  return (value) => {
    if (!isRecord(value)) return false
    for (const { guard, name, optional } of members) {
      // Nearly all that is optional is absent. Present and undefined is for the guard, as it is for the schema.
      const member = value[name]
      if (member === undefined && !(name in value)) {
        if (!optional) return false
      } else if (!guard(member)) return false
    }
    return true
  }
}

/** Literals, or structs told apart by a literal member that each has. */
const unionOf = (ast: SchemaAST.Union): Guard | undefined => {
  const { types } = ast
  if (types.every(SchemaAST.isLiteral)) {
    const literals = new Set<unknown>(types.map(({ literal }) => literal))
    return (value) => literals.has(value)
  }
  const tags = types.map((type) => (SchemaAST.isObjects(type) ? tagOf(type) : undefined))
  const [first] = tags
  if (first === undefined) return undefined
  const byTag = new Map<unknown, Guard>()
  for (const [index, type] of types.entries()) {
    const tag = tags[index]
    if (tag?.name !== first.name || byTag.has(tag.literal)) return undefined
    byTag.set(tag.literal, compile(type))
  }
  return (value) => isRecord(value) && byTag.get(value[first.name])?.(value) === true
}

const tagOf = (ast: SchemaAST.Objects) => {
  for (const { name, type } of ast.propertySignatures) {
    if (SchemaAST.isLiteral(type) && !SchemaAST.isOptional(type)) return { name, literal: type.literal }
  }
  return undefined
}

const formOf = (ast: SchemaAST.AST): Guard | undefined => {
  switch (ast._tag) {
    case "String":
      return (value) => typeof value === "string"
    case "Number":
      return (value) => typeof value === "number"
    case "Boolean":
      return (value) => typeof value === "boolean"
    case "Literal":
      return (value) => value === ast.literal
    case "Objects":
      return structOf(ast)
    case "Union":
      return unionOf(ast)
    default:
      return undefined
  }
}

const compile = (ast: SchemaAST.AST): Guard => {
  const form = ast.encoding === undefined ? formOf(ast) : undefined
  const filters = filtersOf(ast)
  if (form === undefined || filters === undefined) return Schema.is(Schema.make(ast))
  if (filters.length === 0) return form
  return (value) => form(value) && filters.every((filter) => filter(value))
}

/** A guard for what the schema describes, as it is in memory: no member is decoded. */
export const guardOf = <A>(schema: Schema.Codec<A>): ((value: unknown) => value is A) => {
  const guard = compile(SchemaAST.toType(schema.ast))
  return (value): value is A => guard(value)
}

/**
 * The same for a struct, and false for one with members that the schema does not name: what decoding with
 * `onExcessProperty: "error"` gives back as it is. Structs inside it are not looked at for such members.
 */
export const exactGuardOf = <A extends object>(
  schema: Schema.Codec<A> & { readonly fields: object }
): ((value: unknown) => value is A) => {
  const guard = guardOf(schema)
  return (value): value is A =>
    guard(value) && Object.keys(value).every((name) => Object.hasOwn(schema.fields, name))
}
