/** Reads a page in Markdown: its tokens, and the anchors that GitHub gives its headings. */
import MarkdownIt, { type Token } from 'markdown-it'

export interface Heading {
  readonly level: number
  /** Plain text. */
  readonly text: string
  /** The `id` of its element. */
  readonly anchor: string
  /** The words of the heading's section, up to the next heading. Plain text. */
  readonly words: string
}

export interface Parsed {
  readonly tokens: Token[]
  readonly headings: readonly Heading[]
}

/** Throws an Error for HTML other than comments: the site has no inline scripts and styles. */
export function parse(markdown: string): Parsed {
  const tokens = MARKDOWN.parse(markdown, {})
  const headings: (Heading & { words: string })[] = []
  const anchors = new Map<string, number>()
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const text = textOf(tokens[index + 1]?.children ?? [])
      const anchor = unused(anchorOf(text), anchors)
      token.attrSet('id', anchor)
      headings.push({ level: Number(token.tag.slice(1)), text, anchor, words: '' })
    }
    // The content security policy of the service allows no inline styles, which aligned columns would have.
    const style = token.attrGet('style')
    if (style !== null) token.attrs = style === 'text-align:right' ? [['class', 'num']] : null
    for (const { type, content } of [token, ...(token.children ?? [])]) {
      if (!type.startsWith('html_') || /^\s*<!--(?:(?!-->)[\s\S])*-->\s*$/.test(content)) continue
      throw new Error(`has HTML, which the site does not show: ${content.trim()}`)
    }
    const heading = headings.at(-1)
    if (heading && tokens[index - 1]?.type !== 'heading_open') heading.words += ` ${wordsOf(token)}`
  }
  return { tokens, headings }
}

/** Returns the HTML of a parsed page. */
export const render = ({ tokens }: Parsed): string => MARKDOWN.renderer.render(tokens, MARKDOWN.options, {})

/** Escapes text for HTML, also inside double quotes. */
export const escaped = (text: string): string => MARKDOWN.utils.escapeHtml(text)

const MARKDOWN = new MarkdownIt({ html: true })
const { rules } = MARKDOWN.renderer
rules['html_block'] = () => ''
rules['html_inline'] = () => ''
// Wide tables scroll inside the page.
rules['table_open'] = () => '<div class="scroll"><table>\n'
rules['table_close'] = () => '</table></div>\n'

/** Returns the text of inline tokens without markup. */
export const textOf = (inline: readonly Token[]): string =>
  inline.map(({ type, content }) => (type === 'softbreak' ? ' ' : TEXTS.has(type) ? content : '')).join('')

const TEXTS = new Set(['text', 'text_special', 'code_inline', 'image'])

const wordsOf = ({ type, content, children }: Token): string =>
  type === 'fence' ? content : textOf(children ?? [])

/** Returns the anchor of a heading as GitHub makes it: letters, marks, digits, `_` and `-` in lower case. */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')

/** Appends the first number that makes the anchor unique on its page, as GitHub does. */
function unused(wanted: string, used: Map<string, number>): string {
  let anchor = wanted
  let count = used.get(wanted) ?? 0
  while (used.has(anchor)) anchor = `${wanted}-${++count}`
  used.set(wanted, count)
  used.set(anchor, used.get(anchor) ?? 0)
  return anchor
}
