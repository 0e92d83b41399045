// Character classes and escapes of patterns.

/** Whether a step accepts a character. */
export type CharacterTest = (character: string) => boolean

/** A pattern and the reader's position in it. */
export interface PatternCursor {
  readonly characters: readonly string[]
  at: number
}

const DIGIT: CharacterTest = (c) => /^[0-9]$/.test(c)
const WORD: CharacterTest = (c) => /^[0-9A-Za-z_]$/.test(c)
/** RE2's `\s` does not match a vertical tab; JavaScript's does. */
const SPACE: CharacterTest = (c) => /^[\t\n\f\r ]$/.test(c)

const not =
  (test: CharacterTest): CharacterTest =>
  (c) =>
    !test(c)

const CLASSES: ReadonlyMap<string, CharacterTest> = new Map([
  ['d', DIGIT],
  ['w', WORD],
  ['s', SPACE],
  ['D', not(DIGIT)],
  ['W', not(WORD)],
  ['S', not(SPACE)],
])
const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['f', '\f'],
  ['v', '\v'],
  ['a', '\u0007'],
])

/** Reads the rest of an escape after its backslash: a class of characters, or one character. */
export function classEscape(cursor: PatternCursor): {
  readonly test: CharacterTest
  readonly literal?: string
} {
  const character = cursor.characters[cursor.at++] ?? ''
  const test = CLASSES.get(character)
  if (test !== undefined) return { test }
  const literal = CONTROLS.get(character) ?? character
  // Only escaped punctuation means itself. An unknown escaped letter could mean something in RE2.
  if (character === '' || (literal === character && /[\p{L}\p{N}]/u.test(character))) {
    throw new SyntaxError(`unknown escape \\${character}`)
  }
  return { test: (c) => c === literal, literal }
}

/** Reads a class up to its `]`; the cursor is after its `[`. */
export function readClass(cursor: PatternCursor): CharacterTest {
  const negated = cursor.characters[cursor.at] === '^'
  if (negated) cursor.at += 1
  const tests: CharacterTest[] = []
  // A `]` right after the `[` means itself.
  for (let first = true; first || cursor.characters[cursor.at] !== ']'; first = false) {
    tests.push(readRange(cursor))
  }
  cursor.at += 1
  const any: CharacterTest = (c) => tests.some((test) => test(c))
  return negated ? not(any) : any
}

function readRange(cursor: PatternCursor): CharacterTest {
  const { test, literal: low } = readMember(cursor)
  const [dash, next] = [cursor.characters[cursor.at], cursor.characters[cursor.at + 1]]
  if (dash !== '-' || next === ']') return test
  cursor.at += 1
  const { literal: high } = readMember(cursor)
  if (low === undefined || high === undefined) throw new SyntaxError('a range needs two characters')
  const [from, to] = [low.codePointAt(0) as number, high.codePointAt(0) as number]
  if (from > to) throw new SyntaxError('a range must be in ascending order')
  return (c) => {
    const code = c.codePointAt(0) as number
    return code >= from && code <= to
  }
}

function readMember(cursor: PatternCursor): { readonly test: CharacterTest; readonly literal?: string } {
  const character = cursor.characters[cursor.at++]
  if (character === undefined) throw new SyntaxError('missing ]')
  if (character === '\\') return classEscape(cursor)
  if (character === '[' && cursor.characters[cursor.at] === ':') {
    throw new SyntaxError('named classes are not supported')
  }
  return { test: (c) => c === character, literal: character }
}
