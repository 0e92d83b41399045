// Finds a source file's imports and its uses of platform names. Uses TypeScript's own syntax tree, so that comments and
// strings never count, and no form of import is missed.

import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import * as is from 'typescript/unstable/ast/is'
import { parseSources } from './sources.ts'

/** One import of a file: `import`, `import type`, `export … from`, `import('…')` as a value or as a type. */
interface Import {
  /** 1-based. */
  readonly line: number
  /** The specifier; undefined if it is computed, and therefore unknown. */
  readonly specifier: string | undefined
  /** Whether the import does not exist at run time. */
  readonly typeOnly: boolean
}

/** One use of a name that a rule restricts, for example `Date.now` or `.selectFrom()`. */
export interface Use {
  /** 1-based. */
  readonly line: number
  readonly name: string
}

export interface Parsed {
  readonly imports: readonly Import[]
  readonly uses: readonly Use[]
}

/** Globals that let a function reach beyond its arguments. Each is reported under its own name. */
const GLOBALS: ReadonlySet<string> = new Set([
  'console',
  'fetch',
  'performance',
  'process',
  'setImmediate',
  'setInterval',
  'setTimeout',
])

/** Members of globals. The member is reported, and the global itself is not. */
const MEMBERS: ReadonlySet<string> = new Set(['process.env', 'Date.now', 'Math.random'])

/** The methods that start a Kysely statement, which is SQL in TypeScript. */
const STATEMENTS: ReadonlySet<string> = new Set([
  'deleteFrom',
  'executeQuery',
  'insertInto',
  'mergeInto',
  'replaceInto',
  'selectFrom',
  'selectNoFrom',
  'updateTable',
])

/** Reads `files` as {@link parseSources} does. Returns an entry for each file, under the given path. */
export function parseFiles(root: string, files: readonly string[]): ReadonlyMap<string, Parsed> {
  return new Map([...parseSources(root, files)].map(([file, source]) => [file, parse(source)]))
}

function parse(source: SourceFile): Parsed {
  const imports: Import[] = []
  const uses: Use[] = []
  const visit = (node: Node): void => {
    const line = () => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
    const module = importedModule(node)
    if (module !== undefined) {
      imports.push({ line: line(), specifier: textOf(module), typeOnly: isTypeOnly(node) })
    }
    for (const name of usesOf(node)) uses.push({ line: line(), name })
    node.forEachChild(visit)
  }
  visit(source)
  return { imports, uses }
}

/** Returns the node of the specifier if `node` is an import of any kind. */
function importedModule(node: Node): Node | undefined {
  if (is.isImportDeclaration(node) || is.isExportDeclaration(node)) return node.moduleSpecifier
  if (is.isImportTypeNode(node)) {
    return is.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument
  }
  const isDynamic = is.isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword
  return isDynamic ? (node.arguments[0] ?? node) : undefined
}

function isTypeOnly(node: Node): boolean {
  if (is.isImportDeclaration(node)) return node.importClause?.phaseModifier === SyntaxKind.TypeKeyword
  return is.isImportTypeNode(node) || (is.isExportDeclaration(node) && node.isTypeOnly)
}

function* usesOf(node: Node): Generator<string> {
  if (is.isIdentifier(node) && GLOBALS.has(node.text) && isReference(node)) yield node.text
  if (is.isPropertyAccessExpression(node)) yield* memberUse(node.expression, node.name.text)
  if (is.isElementAccessExpression(node)) yield* memberUse(node.expression, textOf(node.argumentExpression))
  // `const { env } = process`
  if (is.isVariableDeclaration(node) && node.initializer && is.isObjectBindingPattern(node.name)) {
    for (const { propertyName, name } of node.name.elements) {
      yield* memberUse(node.initializer, (propertyName ?? name)?.getText())
    }
  }
  if (is.isNewExpression(node) && globalName(node.expression) === 'Date' && !node.arguments?.length) {
    yield 'new Date()'
  }
  if (is.isCallExpression(node) && globalName(node.expression) === 'Date') yield 'Date()'
}

function* memberUse(object: Node, property: string | undefined): Generator<string> {
  const member = `${globalName(object)}.${property}`
  if (MEMBERS.has(member)) yield member
  if (property !== undefined && STATEMENTS.has(property)) yield `.${property}()`
}

/** Returns `x` for the expressions `x` and `globalThis.x`. */
function globalName(node: Node): string | undefined {
  if (is.isIdentifier(node)) return node.text
  if (!is.isPropertyAccessExpression(node) || !is.isIdentifier(node.expression)) return undefined
  return node.expression.text === 'globalThis' ? node.name.text : undefined
}

/** Whether an identifier refers to a value, and does not name a property, a key or a declaration. */
function isReference(node: Node): boolean {
  const { parent } = node
  if (is.isPropertyAccessExpression(parent) && parent.name === node) return globalName(parent) !== undefined
  if (is.isShorthandPropertyAssignment(parent)) return true
  const declaration = parent as { readonly name?: Node; readonly propertyName?: Node }
  return declaration.name !== node && declaration.propertyName !== node
}

function textOf(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined
  return is.isStringLiteral(node) || is.isNoSubstitutionTemplateLiteral(node) ? node.text : undefined
}
