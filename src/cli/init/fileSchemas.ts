// The JSON Schemas of the files that a user writes, out of the Schemas that check them, for `alembic init --schema`. The
// arguments of an assertion are those of its oracle.
import { Schema } from "effect"
import { configJsonSchema } from "../../adapters/registry/Config.ts"
import { BoardFile } from "../../council/Board.ts"
import { Contract } from "../../domain/Contract.ts"
import { MissionSpec } from "../../mission/Mission.ts"
import { Claim } from "../../verifier/Claim.ts"
import { oracleNamed, oracleNames } from "../../verifier/oracleKit.ts"
import type { FileKind } from "./fileKinds.ts"

type Node = { readonly [key: string]: unknown }

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * A number is a number in these files. Where a schema lets in NaN and the infinities, so that a check of its own can name
 * them, its JSON Schema has words for them besides, which no file may use.
 */
const plainNumbers = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(plainNumbers)
  if (!isNode(node)) return node
  const { anyOf } = node
  const isNumber = Array.isArray(anyOf) && anyOf.some((one) => isNode(one) && isWords(one["enum"]))
  return isNumber
    ? { type: "number" }
    : Object.fromEntries(Object.entries(node).map(([key, value]) => [key, plainNumbers(value)]))
}
const isWords = (words: unknown): boolean => Array.isArray(words) && words.includes("NaN")

const nodeOf = (schema: unknown): Node => {
  const plain = plainNumbers(schema)
  return isNode(plain) ? plain : {}
}

const documentOf = (schema: Schema.Top): Node & { readonly $defs: Node } => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  return { ...nodeOf(root), $defs: nodeOf(definitions) }
}

/** An assertion's schema, with `args` by `oracle`. */
const withOracles = (assertion: Node): { readonly assertion: Node; readonly definitions: Node } => {
  let definitions: Node = {}
  const branches = oracleNames.flatMap((name) => {
    const oracle = oracleNamed(name)
    if (oracle === undefined) return []
    const { $defs, ...args } = documentOf(oracle.args)
    definitions = { ...definitions, ...$defs }
    return [{ properties: { oracle: { const: name }, args } }]
  })
  const properties = isNode(assertion["properties"]) ? assertion["properties"] : {}
  return {
    assertion: {
      ...assertion,
      properties: { ...properties, oracle: { enum: oracleNames } },
      anyOf: branches
    },
    definitions
  }
}

/** An object in a file may name its schema, for an editor. */
const withSchemaKey = (node: Node): Node =>
  isNode(node["properties"])
    ? { ...node, properties: { $schema: { type: "string" }, ...node["properties"] } }
    : node

const titled = (title: string, { $defs, ...root }: Node & { readonly $defs: Node }): Node => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title,
  ...withSchemaKey(root),
  ...(Object.keys($defs).length === 0 ? {} : { $defs })
})

const contractSchema = (): Node => {
  const { $defs, ...root } = documentOf(Contract)
  const properties = isNode(root["properties"]) ? root["properties"] : {}
  const { $defs: own, ...claim } = documentOf(Claim)
  const { assertion, definitions } = withOracles(claim)
  return titled("contract.json", {
    ...root,
    properties: { ...properties, assertions: { type: "array", items: assertion } },
    $defs: { ...$defs, ...own, ...definitions }
  })
}

const claimsSchema = (): Node => {
  const { $defs, ...claim } = documentOf(Claim)
  const { assertion, definitions } = withOracles(claim)
  const claims = { type: "array", items: { $ref: "#/$defs/Claim" } }
  return titled("claims.json", {
    anyOf: [
      claims,
      withSchemaKey({
        type: "object",
        properties: { claims },
        required: ["claims"],
        additionalProperties: false
      })
    ],
    $defs: { ...$defs, ...definitions, Claim: assertion }
  })
}

export const fileSchema = (kind: FileKind): Node => {
  switch (kind) {
    case "config":
      return configJsonSchema()
    case "contract":
      return contractSchema()
    case "claims":
      return claimsSchema()
    case "board":
      return titled("a board", documentOf(BoardFile))
    case "mission":
      return titled("what h.mission is given", documentOf(MissionSpec))
  }
}
