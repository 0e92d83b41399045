// Measures the packages' sources, without tests, examples and vectors.

import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import * as is from 'typescript/unstable/ast/is'
import { findCycles, findFolderCycles } from '../import-rules/cycles.ts'
import { parseSources } from '../import-rules/sources.ts'
import { readTree } from '../import-rules/tree.ts'

interface Spread {
  readonly median: number
  readonly p95: number
  readonly max: number
}

export interface Figures {
  readonly files: number
  readonly lines: number
  readonly fileLines: Spread
  readonly functionLines: Spread
  /** Occurrences of the type `any`, of `as` without `as const`, and of the operator `!` after a value. */
  readonly any: number
  readonly as: number
  readonly nonNull: number
  readonly cycles: number
  /** The number of cycles of folders. */
  readonly upward: number
  readonly biggestFolder: readonly [folder: string, files: number]
}

/** Measures all packages below `root` (absolute) together, and the server alone. */
export function measure(root: string): ReadonlyMap<string, Figures> {
  const paths = globSync('packages/*/src/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .sort()
  const sources = parseSources(
    root,
    paths.map((path) => `${root}/${path}`),
  )
  const files = paths.map((path) => fileFigures(root, path, sources.get(`${root}/${path}`)))
  const tree = readTree(root)
  const cycles = [...findCycles(tree)]
  const upward = [...findFolderCycles(tree)]
  const of = (prefix: string): Figures => {
    const within = <T extends { readonly path: string }>(all: readonly T[]) =>
      all.filter(({ path }) => path.startsWith(prefix))
    return {
      ...summary(within(files)),
      cycles: within(cycles).length,
      upward: within(upward).length,
    }
  }
  return new Map([
    ['all packages', of('packages/')],
    ['server', of('packages/server/')],
  ])
}

interface FileFigures {
  readonly path: string
  readonly lines: number
  readonly functions: readonly number[]
  readonly any: number
  readonly as: number
  readonly nonNull: number
}

function fileFigures(root: string, path: string, source: SourceFile | undefined): FileFigures {
  if (!source) throw new Error(`${path} could not be parsed`)
  const count = { any: 0, as: 0, nonNull: 0 }
  const functions: number[] = []
  const visit = (node: Node): void => {
    if (node.kind === SyntaxKind.AnyKeyword) count.any++
    if (is.isAsExpression(node) && node.type.getText(source) !== 'const') count.as++
    if (is.isNonNullExpression(node)) count.nonNull++
    if (hasBody(node)) functions.push(linesOf(node, source))
    node.forEachChild(visit)
  }
  visit(source)
  const lines = readFileSync(`${root}/${path}`, 'utf8').split('\n').length - 1
  return { path, lines, functions, ...count }
}

/** Whether a node is a function in braces. An arrow function without braces counts to the function around it. */
const hasBody = (node: Node): boolean =>
  (is.isFunctionDeclaration(node) ||
    is.isFunctionExpression(node) ||
    is.isArrowFunction(node) ||
    is.isMethodDeclaration(node) ||
    is.isConstructorDeclaration(node) ||
    is.isGetAccessorDeclaration(node)) &&
  node.body !== undefined &&
  is.isBlock(node.body)

function linesOf(node: Node, source: SourceFile): number {
  const line = (position: number): number => source.getLineAndCharacterOfPosition(position).line
  return line(node.end) - line(node.getStart(source)) + 1
}

function summary(files: readonly FileFigures[]): Omit<Figures, 'cycles' | 'upward'> {
  const sum = (figure: 'lines' | 'any' | 'as' | 'nonNull'): number =>
    files.reduce((total, file) => total + file[figure], 0)
  const folders = Map.groupBy(files, ({ path }) => posix.dirname(path))
  const [biggest = ['', []] as const] = [...folders].sort(([, a], [, b]) => b.length - a.length)
  return {
    files: files.length,
    lines: sum('lines'),
    fileLines: spreadOf(files.map(({ lines }) => lines)),
    functionLines: spreadOf(files.flatMap(({ functions }) => functions)),
    any: sum('any'),
    as: sum('as'),
    nonNull: sum('nonNull'),
    biggestFolder: [biggest[0], biggest[1].length],
  }
}

function spreadOf(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
  return { median: at(0.5), p95: at(0.95), max: at(1) }
}
