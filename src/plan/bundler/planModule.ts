// A plan module's bundle as a script: its imports become reads of the prelude, its export list what is returned. Pure.
// Nothing else of the text is touched, and no line moves, so that what was scanned is what runs.
import type { AnyNode, Identifier, Literal } from "acorn"
import { instead } from "../determinism/catalogue.ts"
import { reservedPrefix } from "./PlanBundle.ts"

export interface ScriptText {
  /** The expression: see `PlanBundle`. */
  readonly code: string
  /** Prelude modules that are read, sorted. */
  readonly imports: ReadonlyArray<string>
  readonly hasRun: boolean
}

export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
  /** True if the program gets what it asked for. */
  readonly isAnswer: boolean
}

const nameOf = (node: Identifier | Literal): string =>
  node.type === "Identifier" ? node.name : String(node.value)

const isPrelude = (name: string): boolean =>
  name === "effect" || name.startsWith("effect/") || name === "alembic/plan"

const prelude = `${reservedPrefix}prelude`
const refuse = `${reservedPrefix}refuse`
const packages = `${reservedPrefix}packages`
const take = `${reservedPrefix}take`

/** As the loader of modules would say it. */
const takeFunction =
  `const ${take} = (module, name) => { const from = ${prelude}[module]; ` +
  "if (from === undefined) throw new SyntaxError(`Cannot find module '${module}'`); " +
  "if (!(name in from)) throw new SyntaxError(`The requested module '${module}' does not provide an export named '${name}'`); " +
  "return from[name]; };"

/** One of a module's own statements that cannot stand in a function. */
class Rewriter {
  readonly edits: Array<Edit> = []
  readonly reads: Array<string> = []
  readonly imports = new Set<string>()
  run: string | undefined

  statement(node: AnyNode): void {
    switch (node.type) {
      case "ImportDeclaration": {
        const from = nameOf(node.source)
        for (const specifier of node.specifiers) {
          const value =
            specifier.type === "ImportNamespaceSpecifier"
              ? this.namespace(from)
              : this.read(from, specifier.type === "ImportSpecifier" ? nameOf(specifier.imported) : "default")
          this.reads.push(`const ${specifier.local.name} = ${value};`)
        }
        if (node.specifiers.length === 0) this.reads.push(`${this.namespace(from)};`)
        return this.remove(node)
      }
      case "ExportNamedDeclaration":
        for (const specifier of node.specifiers) {
          if (nameOf(specifier.exported) !== "run") continue
          const local = nameOf(specifier.local)
          this.run = node.source ? this.read(nameOf(node.source), local) : local
        }
        return this.remove(node)
      case "ExportDefaultDeclaration":
        // The bundler leaves this form only for expressions (a CommonJS entry).
        this.edits.push({ start: node.start, end: node.declaration.start, text: "", isAnswer: false })
        return
      case "ExportAllDeclaration":
        this.imports.add(nameOf(node.source))
        return this.remove(node)
      default:
        return
    }
  }

  private remove(node: AnyNode): void {
    this.edits.push({ start: node.start, end: node.end, text: "", isAnswer: false })
  }

  /** An import that was refused has no module: whoever runs the plan all the same meets the refusal. */
  private namespace(from: string): string {
    if (!isPrelude(from)) return `${refuse}(${JSON.stringify(`import ${from}`)}, "")`
    this.imports.add(from)
    return `${prelude}[${JSON.stringify(from)}]`
  }

  private read(from: string, name: string): string {
    if (!isPrelude(from)) return this.namespace(from)
    this.imports.add(from)
    return `${take}(${JSON.stringify(from)}, ${JSON.stringify(name)})`
  }
}

const keepLines = (text: string): string => text.replaceAll(/[^\n]/g, "")

/**
 * The script of a bundle. `replace` are expressions to stand for others, at offsets of `esm`: what npm packages ask of
 * their surroundings.
 */
export const moduleScript = (esm: string, root: AnyNode, replace: ReadonlyArray<Edit> = []): ScriptText => {
  const rewriter = new Rewriter()
  if (root.type === "Program") for (const statement of root.body) rewriter.statement(statement)
  // An interpreter line means nothing inside a function.
  let body = esm.startsWith("#!") ? "//" : ""
  let at = body.length
  for (const edit of [...rewriter.edits, ...replace].toSorted((a, b) => a.start - b.start)) {
    body += esm.slice(at, edit.start) + edit.text + keepLines(esm.slice(edit.start, edit.end))
    at = edit.end
  }
  body += esm.slice(at)
  const reads =
    rewriter.reads.length === 0 && rewriter.run === undefined
      ? ""
      : ` ${takeFunction} ${rewriter.reads.join(" ")}`
  const returned = rewriter.run === undefined ? "{}" : `{ run: ${rewriter.run} }`
  return {
    code: `(async (${prelude}, ${refuse}${body.includes(packages) ? `, ${packages}` : ""}) => { "use strict";${reads}\n${body}\nreturn ${returned};\n})`,
    imports: [...rewriter.imports].filter(isPrelude).toSorted(),
    hasRun: rewriter.run !== undefined
  }
}

/** `process.env.NODE_ENV`, spelled out. */
const isNodeEnv = (node: AnyNode): boolean => {
  if (node.type !== "MemberExpression" || node.computed || node.object.type !== "MemberExpression")
    return false
  const { object, property } = node.object
  const names = [object, property, node.property].map((part) => (part.type === "Identifier" ? part.name : ""))
  return names.join(".") === "process.env.NODE_ENV"
}

/** What a package may know of its surroundings after all: that it runs in production. */
export const nodeEnvEdit = (node: AnyNode): Edit | undefined =>
  isNodeEnv(node) ? { start: node.start, end: node.end, text: '"production"', isAnswer: true } : undefined

/**
 * An `import(…)` that was not bundled rejects by name, with an error of the plan's context: left to itself it would be
 * answered by the host.
 */
export const importEdit = (node: AnyNode): Edit | undefined =>
  node.type === "ImportExpression"
    ? {
        start: node.start,
        end: node.end,
        text: `(async () => ${refuse}("import()", ${JSON.stringify(instead.imports)}))()`,
        isAnswer: false
      }
    : undefined

/** A script has no `import.meta`: reaching for it is refused by name. */
export const importMetaEdit = (node: AnyNode): Edit | undefined =>
  node.type === "MetaProperty" && node.meta.name === "import"
    ? { start: node.start, end: node.end, text: `${refuse}("import.meta", "")`, isAnswer: false }
    : undefined
