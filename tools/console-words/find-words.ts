// Finds words for people in the console's pages that do not come from the catalogue (`web/words/en.ts`,
// contract/administration.md, C13). Uses TypeScript's own syntax tree, so comments and identifiers never count.

import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import * as is from 'typescript/unstable/ast/is'
import { parseSources } from '../import-rules/sources.ts'
import { type Piece, piecesOf } from './markup.ts'

export interface Finding {
  readonly file: string
  /** 1-based. */
  readonly line: number
  /** Where the words are: `text`, the name of an attribute, or `string`. */
  readonly where: string
  readonly words: string
}

/** Returns the findings in `files`, which are absolute paths below `root`. */
export const findWords = (root: string, files: readonly string[]): readonly Finding[] =>
  [...parseSources(root, files)].flatMap(([file, source]) => findIn(file, source))

function findIn(file: string, source: SourceFile): readonly Finding[] {
  const findings: Finding[] = []
  const visit = (node: Node): void => {
    for (const { where, words } of wordsOf(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
      findings.push({ file, line, where, words })
    }
    if (is.isTaggedTemplateExpression(node) && isMarkup(node)) {
      // The template's own text has been read as markup above; only the values in it are code.
      for (const value of valuesOf(node.template)) visit(value)
      return
    }
    if (isForProgrammers(node)) return
    node.forEachChild(visit)
  }
  visit(source)
  return findings
}

const isMarkup = ({ tag }: { readonly tag: Node }): boolean => is.isIdentifier(tag) && tag.text === 'html'

function wordsOf(node: Node): readonly Piece[] {
  if (is.isTaggedTemplateExpression(node)) {
    return isMarkup(node) ? piecesOf(textOf(node.template)).filter(({ words }) => hasWords(words)) : []
  }
  const isText =
    is.isStringLiteral(node) || is.isNoSubstitutionTemplateLiteral(node) || is.isTemplateExpression(node)
  if (!isText || isName(node)) return []
  const text = textOf(node)
  const isShown = LABELS.has(nameOf(node) ?? '') ? hasWords(text) : isSentence(text)
  return isShown && !COMMAND.test(text) ? [{ where: 'string', words: text }] : []
}

/** Stands for an interpolated value in the text of a template. */
const VALUE = '\0'

function textOf(template: Node): string {
  if (is.isStringLiteral(template) || is.isNoSubstitutionTemplateLiteral(template)) return template.text
  if (!is.isTemplateExpression(template)) return ''
  return template.head.text + template.templateSpans.map(({ literal }) => VALUE + literal.text).join('')
}

const valuesOf = (template: Node): readonly Node[] =>
  is.isTemplateExpression(template) ? template.templateSpans.map(({ expression }) => expression) : []

const hasWords = (text: string): boolean => /\p{L}/u.test(text.replaceAll(NAMES, ''))

/** Names that are the same in every language. */
const NAMES = /\bRatafia\b/g

/**
 * Whether a string has two words in a row, a word next to a value, or a single capitalised word. The values
 * of `class` also look like this; `isName` excludes them.
 */
const isSentence = (text: string): boolean =>
  hasWords(text) &&
  (/\p{L}{2,}[,.:;!?]?\s+[“(\0]?\p{L}{2,}/u.test(text) ||
    /\0\s+\p{L}{2,}(?![^\s\0]*[=/])|(?:^|\s)\p{L}{2,}[,:]?\s+\0/u.test(text) ||
    /^\p{Lu}\p{Ll}+[.!?…]?$/u.test(text))

/** Commands are the same in every language. */
const COMMAND =
  /^(?:ratafia|npx|snapcraft|charmcraft|curl|export|sudo|snap|snapctl|npm|cat|cd|docker|systemctl) /

/** Properties whose values people see. */
const LABELS: ReadonlySet<string> = new Set(
  'caption hint label legend message notice placeholder summary text title'.split(' '),
)

/** The name of the property or constant that has this value; undefined for other nodes. */
function nameOf(node: Node): string | undefined {
  const { parent } = node
  if (is.isPropertyAssignment(parent) || is.isVariableDeclaration(parent)) {
    return is.isIdentifier(parent.name) || is.isStringLiteral(parent.name) ? parent.name.text : undefined
  }
  return undefined
}

/** Whether a string is a name for the program: a module, a key, a type or a class of the stylesheet. */
function isName(node: Node): boolean {
  const { parent } = node
  if (is.isImportDeclaration(parent) || is.isExportDeclaration(parent) || is.isLiteralTypeNode(parent))
    return true
  if (is.isPropertyAssignment(parent) && parent.name === node) return true
  if (is.isElementAccessExpression(parent) || isComparison(parent)) return true
  for (let at: Node = node; at.parent && !is.isArrowFunction(at) && !is.isBlock(at); at = at.parent) {
    if (/class/i.test(nameOf(at) ?? '')) return true
  }
  return false
}

const isComparison = (node: Node): boolean =>
  is.isBinaryExpression(node) &&
  [SyntaxKind.EqualsEqualsEqualsToken, SyntaxKind.ExclamationEqualsEqualsToken].includes(
    node.operatorToken.kind,
  )

/** Whether a node creates an error whose message only programmers see. */
const isForProgrammers = (node: Node): boolean =>
  is.isNewExpression(node) &&
  is.isIdentifier(node.expression) &&
  /^(?:Type)?Error$/.test(node.expression.text)
