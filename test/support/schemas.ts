// JSON Schemas for tests: ones that can be satisfied, and ones that contradict themselves, with where they do.
import type { JsonSchemaDocument } from "../../src/domain/ModelRun.ts"

export const satisfiable: Readonly<Record<string, JsonSchemaDocument>> = {
  anything: {},
  review: {
    type: "object",
    properties: {
      id: { type: "integer", minimum: 1, maximum: 3 },
      severity: { enum: ["low", "high"] },
      tags: {
        type: "array",
        items: { type: "string", enum: ["a", "b", "c"] },
        minItems: 2,
        uniqueItems: true
      },
      when: { type: "string", format: "date-time" },
      code: { type: "string", pattern: "^[A-Z]{3}-\\d{4}$" },
      note: { type: ["string", "null"], maxLength: 20 }
    },
    required: ["id", "severity", "tags", "when", "code"],
    additionalProperties: false
  },
  recursive: {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        type: "object",
        required: ["value"],
        properties: {
          value: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
          children: { type: "array", items: { $ref: "#/$defs/node" } }
        },
        additionalProperties: false
      }
    }
  },
  recursiveThroughRequired: {
    type: "object",
    required: ["next"],
    properties: { next: { anyOf: [{ type: "null" }, { $ref: "#" }] } }
  },
  variants: {
    oneOf: [
      {
        type: "object",
        required: ["kind", "r"],
        properties: { kind: { const: "circle" }, r: { type: "number" } }
      },
      {
        type: "object",
        required: ["kind", "w"],
        properties: { kind: { const: "square" }, w: { type: "number", multipleOf: 0.5 } }
      }
    ]
  },
  allOf: {
    allOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { properties: { a: { minLength: 30 }, b: { type: "boolean" } }, required: ["b"] }
    ]
  },
  tuple: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false, minItems: 2 },
  map: { type: "object", minProperties: 3, additionalProperties: { type: "number" } },
  patterned: {
    type: "object",
    patternProperties: { "^x-": { type: "integer" } },
    additionalProperties: false,
    minProperties: 2
  },
  bounded: { type: "string", minLength: 10, maxLength: 12 },
  uuid: { type: "string", format: "uuid" },
  email: { type: "string", format: "email" },
  date: { type: "string", format: "date" },
  uri: { type: "string", format: "uri" },
  unanchored: { type: "string", pattern: "foo|bar", minLength: 8 },
  version: { type: "string", pattern: "^v?\\d+\\.\\d+(?:\\.\\d+)?(?:-[a-z]+)?$" },
  contains: { type: "array", contains: { const: 7 }, items: { type: "integer" } },
  // As text: an object literal with a `then` would look like a promise to a linter.
  conditional: JSON.parse(`{
    "type": "object",
    "properties": { "kind": { "enum": ["a", "b"] } },
    "required": ["kind"],
    "if": { "properties": { "kind": { "const": "a" } } },
    "then": { "required": ["x"], "properties": { "x": { "type": "integer" } } },
    "else": { "required": ["y"], "properties": { "y": { "type": "string" } } }
  }`),
  multiple: { type: "integer", multipleOf: 7, minimum: 50, maximum: 60 },
  negative: { type: "number", minimum: -5, maximum: -4 },
  notString: { not: { type: "string" } },
  nullOnly: { type: "null" },
  constant: { const: { a: [1, null] } },
  dependent: {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "integer" } },
    required: ["a"],
    dependentRequired: { a: ["b"] },
    additionalProperties: false
  },
  forbiddenProperty: { type: "object", properties: { a: { type: "string" }, b: false }, required: ["a"] },
  anchored: { $ref: "#thing", $defs: { thing: { $anchor: "thing", type: "boolean" } } },
  // Effect and Zod write this for an optional value.
  optionalByUnion: {
    type: "object",
    properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } },
    required: ["a"],
    additionalProperties: false
  },
  // A key that JavaScript would take for the prototype; JSON does not.
  prototypeKey: JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}'
  )
}

/** `[schema, path]` of what is malformed or contradicts itself. */
export const unusable: Readonly<Record<string, readonly [JsonSchemaDocument, string]>> = {
  unknownType: [{ type: "strng" }, "$.type"],
  noType: [{ type: [] }, "$.type"],
  requiredNoList: [{ type: "object", required: "a" }, "$.required"],
  negativeCount: [{ minLength: -1 }, "$.minLength"],
  zeroMultiple: [{ multipleOf: 0 }, "$.multipleOf"],
  brokenPattern: [{ properties: { a: { pattern: "(" } } }, "$.properties.a.pattern"],
  brokenPatternName: [{ patternProperties: { "(": {} } }, "$.patternProperties"],
  itemsNoSchema: [{ items: 5 }, "$.items"],
  emptyAnyOf: [{ anyOf: [] }, "$.anyOf"],
  missingReference: [{ $ref: "#/$defs/no" }, "$.$ref"],
  foreignReference: [{ properties: { a: { $ref: "https://example.com/s.json" } } }, "$.properties.a.$ref"],
  emptyRange: [{ type: "number", minimum: 5, maximum: 3 }, "$"],
  emptyRangeOptional: [
    { type: "object", properties: { age: { type: "integer", minimum: 9, maximum: 3 } } },
    "$.properties.age"
  ],
  noWholeNumber: [
    {
      type: "object",
      required: ["a"],
      properties: { a: { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 2 } }
    },
    "$.properties.a"
  ],
  noMultiple: [{ type: "integer", multipleOf: 10, minimum: 11, maximum: 19 }, "$"],
  lengths: [{ type: "string", minLength: 5, maxLength: 2 }, "$"],
  itemCounts: [{ type: "array", minItems: 3, maxItems: 2 }, "$"],
  noItems: [{ type: "array", minItems: 1, items: false }, "$"],
  itemsThatCannotBe: [{ type: "array", minItems: 1, items: { enum: [] } }, "$.items"],
  types: [{ allOf: [{ type: "string" }, { type: "number" }] }, "$"],
  typesByReference: [{ $ref: "#/$defs/text", type: "integer", $defs: { text: { type: "string" } } }, "$"],
  emptyEnum: [{ enum: [] }, "$"],
  enumOfOtherType: [{ type: "string", enum: [1, 2] }, "$"],
  constOfOtherType: [{ type: "string", const: 5 }, "$"],
  constOutsideEnum: [{ enum: ["a", "b"], const: "c" }, "$"],
  enumAgainstPattern: [{ type: "string", enum: ["a"], pattern: "^b" }, "$"],
  requiredForbidden: [{ type: "object", required: ["x"], properties: {}, additionalProperties: false }, "$"],
  requiredFalse: [{ type: "object", required: ["x"], properties: { x: false } }, "$.properties.x"],
  tooManyRequired: [{ type: "object", required: ["a", "b"], maxProperties: 1 }, "$"],
  nothing: [{ not: {} }, "$"],
  noBranch: [{ anyOf: [{ type: "string", enum: [1] }, false] }, "$.anyOf"],
  branchAgainstBase: [{ type: "integer", anyOf: [{ type: "string" }, { type: "boolean" }] }, "$.anyOf"],
  circle: [{ $ref: "#" }, "$"],
  endless: [
    { type: "object", required: ["child"], properties: { child: { $ref: "#" } } },
    "$.properties.child"
  ],
  endlessItems: [{ type: "array", minItems: 1, items: { $ref: "#" } }, "$.items"]
}
