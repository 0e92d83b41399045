/** Parses the small part of SQL that dumps use: names of tables and columns, and values. */

/** Reads one string from left to right. */
export class SqlReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get rest(): string {
    return this.#text.slice(this.#at)
  }

  /** Consumes and returns the match of the sticky pattern here. Returns undefined, without moving, if there is none. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    if (found === undefined) return undefined
    this.#at += found.length
    return found
  }

  space(): void {
    this.take(/\s*/y)
  }

  /** Consumes one of these signs. */
  sign(signs: string): string | undefined {
    this.space()
    const sign = this.#text[this.#at]
    if (sign === undefined || !signs.includes(sign)) return undefined
    this.#at++
    return sign
  }

  /** Reads a name, quoted or not. */
  name(): string | undefined {
    this.space()
    const quoted = this.take(/"(?:[^"]|"")*"|`[^`]*`/y)
    if (quoted !== undefined) return quoted.slice(1, -1).replaceAll('""', '"')
    return this.take(/[A-Za-z_][A-Za-z0-9_$]*/y)?.toLowerCase()
  }

  /** Reads the name of a table without its schema. */
  table(): string | undefined {
    let name = this.name()
    while (name !== undefined && this.sign('.')) name = this.name()
    return name
  }

  /** Reads `(a, b)`. Returns undefined without parentheses. */
  columns(): readonly string[] | undefined {
    return this.#list(() => this.name())
  }

  /** Reads `(1, 'text', NULL)`. Returns undefined for anything else. */
  values(): readonly (string | null)[] | undefined {
    return this.#list(() => this.value())
  }

  #list<Item>(read: () => Item | undefined): readonly Item[] | undefined {
    if (!this.sign('(')) return undefined
    const items: Item[] = []
    do {
      const item = read()
      if (item === undefined) return undefined
      items.push(item)
    } while (this.sign(','))
    return this.sign(')') ? items : undefined
  }

  value(): string | null | undefined {
    this.space()
    const escaped = this.take(/E'(?:[^'\\]|''|\\[\s\S])*'/iy)
    if (escaped !== undefined) return withoutEscapes(escaped.slice(2, -1).replaceAll("''", "'"))
    const text = this.take(/'(?:[^']|'')*'/y)
    if (text !== undefined) {
      this.take(/::[A-Za-z_ ]+/y)
      return text.slice(1, -1).replaceAll("''", "'")
    }
    // Older and newer versions of sqlite3 write text with newlines like this.
    if (this.take(/replace\s*\(/iy) !== undefined) return this.#replaced()
    if (this.take(/unistr\s*\(/iy) !== undefined) return this.#unescaped()
    const code = this.take(/char\s*\(\s*\d+\s*\)/iy)
    if (code !== undefined) return String.fromCharCode(Number(/\d+/.exec(code)?.[0]))
    const word = this.take(/[A-Za-z0-9_.+-]+/y)
    return word?.toUpperCase() === 'NULL' ? null : word
  }

  #unescaped(): string | undefined {
    const text = this.value()
    if (!this.sign(')') || typeof text !== 'string') return undefined
    return text.replace(/\\(?:u([0-9A-Fa-f]{4})|([\s\S]))/g, (_, code, sign) =>
      code === undefined ? sign : String.fromCharCode(Number.parseInt(code, 16)),
    )
  }

  #replaced(): string | undefined {
    const [text, from, to] = [this.value(), this.sign(',') && this.value(), this.sign(',') && this.value()]
    if (!this.sign(')') || !text || !from || typeof to !== 'string') return undefined
    return text.replaceAll(from, to)
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** Resolves the backslash escapes of COPY and E''. */
export const withoutEscapes = (text: string): string =>
  text.includes('\\')
    ? text.replace(/\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|([\s\S]))/g, (_, octal, hex, sign) =>
        octal !== undefined
          ? String.fromCharCode(Number.parseInt(octal, 8))
          : hex !== undefined
            ? String.fromCharCode(Number.parseInt(hex, 16))
            : (ESCAPES[sign] ?? sign),
      )
    : text

/** Checks whether the text has a semicolon at the end, outside quotes. */
export function isWholeStatement(text: string): boolean {
  if (!text.trimEnd().endsWith(';')) return false
  const bare = text.replace(/E'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'|"(?:[^"]|"")*"/gi, '')
  return !/['"]/.test(bare)
}
