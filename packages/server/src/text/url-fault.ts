/** Describes what is wrong with an invalid URL. Never repeats the text, because it may contain a secret. */

interface AllowedParts {
  /** Default: http and https. */
  readonly schemes?: readonly string[]
  /** The parts that the URL may have: `@` for a username and password, `?` for a query, `#` for a fragment. */
  readonly parts?: string
}

const NAMES: Readonly<Record<string, string>> = {
  ' ': 'a space',
  '\t': 'a tab',
  '\n': 'a line end',
  '\r': 'a line end',
  '\u00a0': 'a no-break space',
  '"': 'a quotation mark',
  "'": 'a quotation mark',
  '“': 'a quotation mark',
  '”': 'a quotation mark',
  '‘': 'a quotation mark',
  '’': 'a quotation mark',
  '`': 'a backtick',
  '<': 'an angle bracket',
  '>': 'an angle bracket',
  '\\': 'a backslash',
}

const PARTS: readonly [mark: string, name: string][] = [
  ['@', 'a username or password before an @'],
  ['?', 'a query, which begins with ?'],
  ['#', 'a fragment, which begins with #'],
]

/**
 * Returns what is wrong with a refused string, to follow "it": `has a space at character 23`. Undefined if it
 * looks like a URL.
 */
export function urlFault(
  text: string,
  { schemes = ['http', 'https'], parts = '' }: AllowedParts = {},
): string | undefined {
  if (text === '') return 'is empty'
  const characters = [...text]
  const at = characters.findIndex((one) => one in NAMES || /[\p{C}\p{Z}]/u.test(one))
  if (at >= 0) return `has ${nameOf(characters[at] ?? '')} at character ${at + 1}`
  const [, scheme, slashes = '', rest = ''] = /^([a-z][a-z0-9+.-]*):(\/*)(.*)$/i.exec(text) ?? []
  if (scheme === undefined || !schemes.includes(scheme.toLowerCase())) {
    return `does not begin with ${schemes.map((one) => `${one}://`).join(' or ')}`
  }
  if (slashes.length !== 2) return `needs two slashes after ${scheme.toLowerCase()}:`
  const part = PARTS.find(([mark]) => !parts.includes(mark) && rest.includes(mark))
  if (part) return `has ${part[1]}`
  const [, host = '', port] = /^(?:[^/?#]*@)?(\[[^\]/?#]*\]|[^:/?#]*)(?::([^/?#]*))?/.exec(rest) ?? []
  if (host === '') return `has no host after ${scheme.toLowerCase()}://`
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    return 'has a port that is not a number from 1 to 65535'
  }
  return URL.canParse(text) ? undefined : 'has an invalid host'
}

const nameOf = (character: string): string =>
  NAMES[character] ??
  (/\p{Z}/u.test(character) ? 'an unusual space' : 'an invisible character') +
    ` (U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')})`
