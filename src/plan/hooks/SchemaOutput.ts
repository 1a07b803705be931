// SchemaOutput: the type of the answer that a JSON Schema asks for, read off its literal. Just `Json` where the type of
// the schema does not tell: a schema that is put together, a `$ref`, a `not`. Types only.
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { JsonSchemaDocument, ModelRunFailure, ModelRunSuccess } from "../../domain/ModelRun.ts"

interface OfType {
  readonly string: string
  readonly number: number
  readonly integer: number
  readonly boolean: boolean
  readonly null: null
}

type Items<S> = S extends { readonly items: infer I } ? SchemaOutput<I> : Json

type RequiredIn<S> = S extends { readonly required: ReadonlyArray<infer Name> } ? Name : never

type Members<P, Required> = {
  readonly [Name in keyof P as Name extends Required ? Name : never]: SchemaOutput<P[Name]>
} & {
  readonly [Name in keyof P as Name extends Required ? never : Name]?: SchemaOutput<P[Name]>
}

/** One object, so that an editor shows its members. */
type Flat<T> = { readonly [Name in keyof T]: T[Name] }

type Named<S, Type> = Type extends keyof OfType
  ? OfType[Type]
  : Type extends "array"
    ? ReadonlyArray<Items<S>>
    : Type extends "object"
      ? S extends { readonly properties: infer P }
        ? Flat<Members<P, RequiredIn<S>>>
        : { readonly [name: string]: Json }
      : Json

export type SchemaOutput<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: ReadonlyArray<infer Value> }
    ? Value
    : S extends { readonly anyOf: ReadonlyArray<infer Some> } | { readonly oneOf: ReadonlyArray<infer Some> }
      ? SchemaOutput<Some>
      : S extends { readonly type: ReadonlyArray<infer Type> }
        ? Named<S, Type>
        : S extends { readonly type: infer Type }
          ? Named<S, Type>
          : Json

/** The result of a call with that schema: an answer that is one has its `output`. */
export type SchemaResult<S extends JsonSchemaDocument> =
  | (Omit<ModelRunSuccess, "output"> & { readonly output: SchemaOutput<S> })
  | ModelRunFailure
