/**
 * HTML as template literals that escape by default: `html\`<p>${text}</p>\``. Only another `Html` stays unescaped, and
 * only this file creates one, so foreign text cannot become markup.
 */

declare const brand: unique symbol
/** Markup that is safe to send. */
export interface Html {
  readonly [brand]: 'Html'
  readonly markup: string
}

/** `undefined`, `null` and `false` render as nothing, so that `${condition && html\`…\`}` works. */
export type HtmlValue = Html | string | number | undefined | null | false | readonly HtmlValue[]

/**
 * Escapes values for text between tags and inside double quotes. Never put a value in an unquoted attribute, a style
 * or a script.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const markup = strings.reduce((before, string, index) => before + render(values[index - 1]) + string)
  return safe(markup)
}

/** Returns a stylesheet of ours as an element, byte for byte: its hash is in the content security policy. */
export function styleElement(css: string): Html {
  if (css.includes('<')) throw new TypeError('A stylesheet inside a page cannot contain "<"')
  return safe(`<style>${css}</style>`)
}

/** Returns a script of ours as an element, byte for byte: its hash is in the content security policy. */
export function scriptElement(script: string): Html {
  if (script.includes('</')) throw new TypeError('A script inside a page cannot contain "</"')
  return safe(`<script>${script}</script>`)
}

class SafeHtml {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

// Only the type checker sees the brand.
const safe = (markup: string): Html => new SafeHtml(markup) as unknown as Html

function render(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return ''
  if (value instanceof SafeHtml) return value.markup
  if (Array.isArray(value)) return value.map(render).join('')
  return escaped(String(value))
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
