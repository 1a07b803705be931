// Workflow scripts: the public dialect's files, told apart from plan modules by their shape, their `meta` read as
// data, their text wrapped so that it runs unchanged and no line moves. Pure. What the globals do is the VM's.
import { parse, type AnyNode, type Identifier, type Program } from "acorn"
import { Option, Result, Schema } from "effect"
import { initialiserOf, keyNames, stringsOf } from "../determinism/constants.ts"
import { absentGlobals, presentGlobals } from "../determinism/catalogue.ts"
import { deadCode } from "../determinism/deadCode.ts"
import { analyseScopes, type ScopedProgram } from "../determinism/scope.ts"
import { reservedPrefix, WorkflowMeta } from "../bundler/PlanBundle.ts"
import type { ScriptPaths } from "../bundler/PlanBundler.ts"
import { exportsRun, opensWithMeta } from "./scriptOpening.ts"
import { Lines } from "./sourceMap.ts"

/** Why a script of the dialect is not one. `offset` is in its text. */
export class WorkflowProblem extends Schema.TaggedError<WorkflowProblem>()("WorkflowProblem", {
  problem: Schema.String,
  offset: Schema.Int
}) {
  override get message() {
    return this.problem
  }
}

/** `workflow(…)` with a name or a path that only the run can know; of a path, what it starts and ends with. */
export interface ComputedReach {
  readonly name: boolean
  readonly path: ScriptPaths | undefined
}

export interface WorkflowScript {
  readonly meta: WorkflowMeta
  /** The expression: see `PlanBundle`. */
  readonly code: string
  /** `code`, parsed by the grammar that it runs by. */
  readonly root: Program
  /** How far offsets in `code` are from those in the file. */
  readonly shift: number
  /** What is unusual but accepted. */
  readonly warnings: ReadonlyArray<string>
  /** Names and paths given to `workflow(…)`. */
  readonly reaches: ReadonlyArray<{ readonly name: string; readonly isPath: boolean }>
  /** What `workflow` is called with where only the run can know it. */
  readonly computed: ReadonlyArray<ComputedReach>
  /** Names that the script uses and that exist nowhere. */
  readonly nowhere: ReadonlyArray<string>
  /** Whether it has an `import(…)`, which is refused and cannot be left to the run. */
  readonly imports: boolean
}

const parseScript = (text: string): Program =>
  parse(text, {
    ecmaVersion: "latest",
    sourceType: "module",
    allowReturnOutsideFunction: true,
    allowHashBang: true
  })

/** Whether a file is a script of the dialect: `meta` is its first statement, and it exports no `run`. */
export const isWorkflowScript = (path: string, text: string): boolean =>
  /\.m?js$/.test(path) && opensWithMeta(text) && !declaresRun(text)

const declaresRun = (text: string): boolean =>
  exportsRun(text) &&
  Result.try(() => parseScript(text)).pipe(
    Result.match({
      // It may mention the words in a prompt; only the parser knows. Where it does not parse, the words decide.
      onFailure: () => true,
      onSuccess: (program) =>
        program.body.some(
          (node) =>
            node.type === "ExportNamedDeclaration" &&
            (node.specifiers.some(
              ({ exported }) => (exported.type === "Identifier" ? exported.name : exported.value) === "run"
            ) ||
              namesOf(node.declaration).includes("run"))
        )
    })
  )

const namesOf = (node: AnyNode | null | undefined): ReadonlyArray<string> => {
  switch (node?.type) {
    case "VariableDeclaration":
      return node.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return node.id ? [node.id.name] : []
    default:
      return []
  }
}

/**
 * A file that means to be a script and is none: it has a `meta`, which is not its first statement. A parser would
 * complain of something else in it.
 */
export const lateMeta = (path: string, text: string): WorkflowProblem | undefined => {
  if (!/\.m?js$/.test(path) || !/\bmeta\b/.test(text) || declaresRun(text)) return undefined
  const program = Option.getOrUndefined(Result.getSuccess(Result.try(() => parseScript(text))))
  const late = program?.body.find(
    (node) =>
      (node.type === "ExportNamedDeclaration" && namesOf(node.declaration).includes("meta")) ||
      (node.type === "VariableDeclaration" && namesOf(node).includes("meta"))
  )
  if (program === undefined || late === undefined) return undefined
  const exports = program.body.some(
    (node) => node.type === "ExportAllDeclaration" || node.type === "ExportDefaultDeclaration"
  )
  return exports
    ? undefined
    : new WorkflowProblem({
        problem:
          "a workflow script begins with its meta: `export const meta = { … }` is its first statement, before imports, comments apart",
        offset: late.start
      })
}

const refusedKeys = new Set(["__proto__", "constructor", "prototype"])

const notLiteral = (node: AnyNode, what: string): never => {
  throw new WorkflowProblem({ problem: `meta must be a pure literal: ${what}`, offset: node.start })
}

/** The value of a literal. Throws WorkflowProblem at the first thing that is none. */
const literalOf = (node: AnyNode): Schema.Json => {
  switch (node.type) {
    case "Literal":
      if (node.value === null && node.regex === undefined) return null
      if (typeof node.value === "string" || typeof node.value === "number" || typeof node.value === "boolean")
        return node.value
      return notLiteral(node, "regular expressions and big integers are not data")
    case "TemplateLiteral":
      return node.expressions.length === 0
        ? (node.quasis[0]?.value.cooked ?? "")
        : notLiteral(node, "a template with an interpolation is computed")
    case "UnaryExpression": {
      const value = node.operator === "-" || node.operator === "+" ? literalOf(node.argument) : undefined
      if (typeof value !== "number") return notLiteral(node, `the operator ${node.operator} computes`)
      return node.operator === "-" ? -value : value
    }
    case "ArrayExpression":
      return node.elements.map((element) =>
        element === null ? notLiteral(node, "a list with a hole") : literalOf(element)
      )
    case "ObjectExpression": {
      const entries: Array<[string, Schema.Json]> = []
      for (const property of node.properties) {
        if (property.type === "SpreadElement") return notLiteral(property, "a spread is computed")
        if (property.computed) return notLiteral(property, "a computed key")
        if (property.kind !== "init" || property.method)
          return notLiteral(property, "methods and accessors are code")
        if (property.shorthand) return notLiteral(property, "a shorthand property is a variable")
        const key = property.key.type === "Identifier" ? property.key.name : String(literalOf(property.key))
        if (refusedKeys.has(key)) return notLiteral(property, `the key ${key} is refused`)
        entries.push([key, literalOf(property.value)])
      }
      return Object.fromEntries(entries)
    }
    case "Identifier":
      return notLiteral(node, `${node.name} is a variable`)
    case "CallExpression":
    case "NewExpression":
      return notLiteral(node, "a call is computed")
    case "SpreadElement":
      return notLiteral(node, "a spread is computed")
    default:
      return notLiteral(node, "it is computed")
  }
}

const decodeMeta = Schema.decodeUnknownOption(
  Schema.Struct({
    ...WorkflowMeta.fields,
    phases: Schema.optionalKey(
      Schema.Array(
        Schema.Union([
          Schema.String,
          Schema.Struct({
            title: Schema.String,
            detail: Schema.optionalKey(Schema.String),
            model: Schema.optionalKey(Schema.String)
          })
        ])
      )
    )
  })
)

const metaOf = (literal: AnyNode): WorkflowMeta => {
  const value = literalOf(literal)
  const named =
    typeof value === "object" && value !== null && "name" in value && typeof value.name === "string"
  if (!named) throw new WorkflowProblem({ problem: "meta.name is required, a string", offset: literal.start })
  const meta = Option.getOrUndefined(decodeMeta(value))
  if (meta === undefined) {
    const problem =
      "meta has a wrong shape: name, description and whenToUse are strings, phases a list of strings or { title, detail?, model? }"
    throw new WorkflowProblem({ problem, offset: literal.start })
  }
  const { phases, ...rest } = meta
  return {
    ...rest,
    ...(phases === undefined
      ? {}
      : { phases: phases.map((phase) => (typeof phase === "string" ? { title: phase } : phase)) })
  }
}

const globals = "agent, parallel, pipeline, phase, log, args, budget, workflow"

/** The body has a function of its own, so that it may declare names like the globals'. */
const before = `(async function (${globals}) { "use strict"; return (async () => {\n`
const after = "\n})(); })"

const wrap = (text: string, exportAt: number): string => {
  const body = `${text.slice(0, exportAt)}      ${text.slice(exportAt + "export".length)}`
  return before + (body.startsWith("#!") ? `//${body.slice(2)}` : body) + after
}

/**
 * A script may hide code from a parser of modules behind `<!--`, which is a comment only in scripts. So what is
 * scanned is parsed as what runs: as a script.
 */
const parseRunnable = (code: string): Program => {
  const root = parse(code, { ecmaVersion: "latest", sourceType: "script" })
  const [only] = root.body
  const whole = only?.type === "ExpressionStatement" && only.expression.type === "FunctionExpression"
  if (root.body.length === 1 && whole) return root
  throw new WorkflowProblem({ problem: "the script means something else inside a function", offset: 0 })
}

/** What a computed path starts and ends with, as far as it is written out: its folders, and its last part. */
const shapeOf = (node: AnyNode, program: ScopedProgram): ScriptPaths => {
  const from = initialiserOf(node, program)
  const known = stringsOf(from, program)
  if (known?.length === 1) return { head: known[0] ?? "", tail: known[0] ?? "" }
  if (from.type === "TemplateLiteral")
    return { head: from.quasis[0]?.value.cooked ?? "", tail: from.quasis.at(-1)?.value.cooked ?? "" }
  if (from.type === "BinaryExpression" && from.operator === "+" && from.left.type !== "PrivateIdentifier")
    return { head: shapeOf(from.left, program).head, tail: shapeOf(from.right, program).tail }
  return { head: "", tail: "" }
}

/** The folders that a path begins with: what stands before its last `/`. */
const foldersOf = ({ head, tail }: ScriptPaths): ScriptPaths => ({
  head: head.slice(0, head.lastIndexOf("/") + 1),
  tail: tail.slice(tail.lastIndexOf("/") + 1)
})

const mentionsPath = (program: ScopedProgram): boolean => {
  for (const node of program.parents.keys()) {
    if (node.type === "Property" && keyNames(node, program)?.[0] === "scriptPath") return true
  }
  return false
}

const scriptGlobals: ReadonlySet<string> = new Set(globals.split(", "))

/** Names that neither the script nor any plan has. What is only asked for its type is not used. */
const nowhereIn = (program: ScopedProgram): ReadonlyArray<string> => {
  const isDead = deadCode(program)
  const isUsed = (node: Identifier): boolean => {
    const parent = program.parents.get(node)
    return !(parent?.type === "UnaryExpression" && parent.operator === "typeof") && !isDead(node)
  }
  const names = program.globals.flatMap((node) =>
    presentGlobals.has(node.name) ||
    scriptGlobals.has(node.name) ||
    absentGlobals.has(node.name) ||
    node.name.startsWith(reservedPrefix) ||
    !isUsed(node)
      ? []
      : [node.name]
  )
  return [...new Set(names)]
}

const reachedBy = (root: Program): Pick<WorkflowScript, "reaches" | "computed" | "nowhere" | "imports"> => {
  const program = analyseScopes(root)
  const reaches: Array<{ readonly name: string; readonly isPath: boolean }> = []
  const computed: Array<ComputedReach> = []
  for (const node of program.globals) {
    if (node.name !== "workflow") continue
    const call = program.parents.get(node)
    const first = call?.type === "CallExpression" && call.callee === node ? call.arguments[0] : undefined
    const given = first === undefined ? undefined : initialiserOf(first, program)
    const path =
      given?.type === "ObjectExpression"
        ? given.properties.find(
            (property) => property.type === "Property" && keyNames(property, program)?.[0] === "scriptPath"
          )
        : undefined
    const from = path?.type === "Property" ? path.value : given
    const names = from === undefined ? undefined : stringsOf(from, program)
    if (names === undefined && path?.type === "Property")
      computed.push({ name: false, path: foldersOf(shapeOf(path.value, program)) })
    else if (names === undefined)
      computed.push({ name: true, path: mentionsPath(program) ? { head: "", tail: "" } : undefined })
    else reaches.push(...names.map((name) => ({ name, isPath: path !== undefined })))
  }
  const imports = program.imports.some(({ type }) => type === "ImportExpression")
  return { reaches, computed, nowhere: nowhereIn(program), imports }
}

const read = (text: string): WorkflowScript => {
  const root = parseScript(text)
  const [first, ...others] = root.body
  const declaration = first?.type === "ExportNamedDeclaration" ? first.declaration : undefined
  const declarator = declaration?.type === "VariableDeclaration" ? declaration.declarations[0] : undefined
  if (
    first === undefined ||
    declarator?.id.type !== "Identifier" ||
    declarator.id.name !== "meta" ||
    !declarator.init
  ) {
    throw new WorkflowProblem({
      problem: "the first statement must be export const meta = {…}",
      offset: first?.start ?? 0
    })
  }
  const meta = metaOf(declarator.init)
  for (const node of others) {
    const isImport = node.type === "ImportDeclaration"
    if (isImport || node.type.startsWith("Export")) {
      const problem = `a workflow script has no ${isImport ? "import" : "export besides meta"}`
      throw new WorkflowProblem({ problem, offset: node.start })
    }
  }
  const warnings =
    meta.description === undefined
      ? [`meta.description is missing: say in a sentence what ${meta.name} does`]
      : []
  const code = wrap(text, first.start)
  return { meta, code, root: parseRunnable(code), shift: before.length, warnings, ...reachedBy(root) }
}

const isSyntaxError = (cause: unknown): cause is SyntaxError & { readonly pos: number } =>
  cause instanceof SyntaxError && "pos" in cause && typeof cause.pos === "number"

/** Reads a script of the dialect. */
export const workflowScript = (text: string): Result.Result<WorkflowScript, WorkflowProblem> =>
  Result.try({
    try: () => read(text),
    catch: (cause) => {
      if (cause instanceof WorkflowProblem) return cause
      const offset = isSyntaxError(cause) ? Math.min(cause.pos, text.length) : 0
      const problem = cause instanceof Error ? cause.message.replace(/ \(\d+:\d+\)$/, "") : String(cause)
      return new WorkflowProblem({ problem, offset })
    }
  })

/** Line and column of a problem, both from 1. */
export const problemPlace = (
  text: string,
  problem: WorkflowProblem
): { readonly line: number; readonly column: number } => new Lines(text).position(problem.offset)
