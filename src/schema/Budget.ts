// What work on a schema may cost. Schemas and answers come from outside: a few lines of them can ask for more work or
// a larger value than a host has. Whoever works on one spends from a budget, and stops with a named error at its end.
import { Schema } from "effect"

/** A limit that was met: which, and how much it allows. */
export class SchemaLimitError extends Schema.TaggedError<SchemaLimitError>()("SchemaLimitError", {
  limit: Schema.Literals(["steps", "depth", "size", "text"]),
  allowed: Schema.Number
}) {
  override get message() {
    switch (this.limit) {
      case "steps":
        return `schema_limit: it takes more than ${this.allowed} steps`
      case "depth":
        return `schema_limit: it nests deeper than ${this.allowed} levels`
      case "text":
        return `schema_limit: a text of more than ${this.allowed} characters is not held against a format`
      case "size":
        return `schema_limit: the value would be larger than ${this.allowed} characters`
    }
  }
}

/** So many steps, or so much to be made; `spend` throws SchemaLimitError when they are gone. */
export class Budget {
  private left: number
  private readonly limit: SchemaLimitError["limit"]
  private readonly allowed: number
  constructor(limit: SchemaLimitError["limit"], allowed: number) {
    this.limit = limit
    this.allowed = allowed
    this.left = allowed
  }

  spend(cost: number): void {
    this.left -= cost
    if (!(this.left >= 0)) throw new SchemaLimitError({ limit: this.limit, allowed: this.allowed })
  }
}
