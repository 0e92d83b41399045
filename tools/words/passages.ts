// The passages of a file that a person reads: comments and strings of source files, prose and headings of Markdown.

import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import * as is from 'typescript/unstable/ast/is'
import type { Place } from './patterns.ts'

export interface Passage {
  readonly place: Place
  /** 1-based line of each line of `text`. */
  readonly line: number
  /** May have several lines, as in the file. Inline code is replaced by spaces of its length. */
  readonly text: string
}

const CODE = /`(?:(?!\n\s*\n)[^`])*`/g

/** Spaces in place of everything but the ends of lines, so that offsets stay. */
const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

const withoutCode = (text: string): string => text.replaceAll(CODE, blank)

/** The paragraphs, table rows and headings of a Markdown text, without blocks of code. */
export function markdownPassages(markdown: string): readonly Passage[] {
  const text = withoutCode(markdown.replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2$/gm, blank)).replaceAll(
    /<!--[\s\S]*?-->|\]\([^)\s]*\)/g,
    blank,
  )
  return splitAt(text, /\n(?:\s*\n)+|\n(?=\s*(?:[-*|>#]|\d+\.) ?)/g).map(({ line, text }) => ({
    place: text.startsWith('#') ? 'heading' : 'prose',
    line,
    text: text.replace(/^[\s\-*|>#]+/, ''),
  }))
}

/** The parts of `text` between separators, trimmed, with the 1-based lines where they begin. */
function splitAt(text: string, separator: RegExp): readonly Omit<Passage, 'place'>[] {
  const ends = [...text.matchAll(separator)].map(
    ({ index, 0: found }) => [index, index + found.length] as const,
  )
  const starts = [0, ...ends.map(([, end]) => end)]
  return starts.flatMap((start, at) => {
    const part = text.slice(start, ends[at]?.[0])
    const lead = part.length - part.trimStart().length
    const line = newlines(text.slice(0, start + lead)) + 1
    return part.trim() === '' ? [] : [{ line, text: part.trim() }]
  })
}

const newlines = (text: string): number => text.split('\n').length - 1

/** The comments and the strings of a source file; strings of fewer than three words in a row are not prose. */
export function sourcePassages(source: SourceFile): readonly Passage[] {
  const literals = literalsOf(source)
  return [...commentsOf(source.text, literals), ...literals.flatMap((literal) => stringOf(source, literal))]
}

const isLiteral = (node: Node): boolean =>
  is.isStringLiteral(node) ||
  is.isNoSubstitutionTemplateLiteral(node) ||
  is.isTemplateExpression(node) ||
  node.kind === SyntaxKind.RegularExpressionLiteral

/** Also those within a template, after it. */
function literalsOf(source: SourceFile): readonly Node[] {
  const literals: Node[] = []
  const visit = (node: Node): void => {
    if (isLiteral(node)) literals.push(node)
    node.forEachChild(visit)
  }
  visit(source)
  return literals
}

const PROSE = /\p{L}+[,;:]? \p{L}+[,;:]? \p{L}+/u

function stringOf(source: SourceFile, node: Node): readonly Passage[] {
  if (node.kind === SyntaxKind.RegularExpressionLiteral || isStatement(node)) return []
  const text = textOf(node)
  if (!PROSE.test(text)) return []
  const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
  return [{ place: 'string', line, text: withoutCode(text) }]
}

/** Values of a template read as `…`. */
function textOf(node: Node): string {
  if (is.isStringLiteral(node) || is.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (!is.isTemplateExpression(node)) return ''
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
}

/** A template tagged `sql`. */
const isStatement = ({ parent }: Node): boolean =>
  is.isTaggedTemplateExpression(parent) && parent.tag.getText().startsWith('sql')

function* commentsOf(text: string, literals: readonly Node[]): Generator<Passage> {
  let masked = text
  for (const literal of literals) {
    const [from, to] = [literal.getStart(), literal.getEnd()]
    masked = masked.slice(0, from) + blank(masked.slice(from, to)) + masked.slice(to)
  }
  for (const { index, 0: comment } of masked.matchAll(/\/\*[\s\S]*?\*\/|(?:\/\/.*(?:\n[ \t]*(?=\/\/))?)+/g)) {
    const line = newlines(text.slice(0, index)) + 1
    const words = comment.replaceAll(/^[ \t]*(?:\/\*\*?|\/\/|\*\/|\*)[ \t]?/gm, '').replace(/\*\/$/, '')
    for (const paragraph of splitAt(words, /\n(?:\s*\n)+|\n(?=@)/g)) {
      yield { place: 'comment', line: line + paragraph.line - 1, text: withoutCode(paragraph.text) }
    }
  }
}
