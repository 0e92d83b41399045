/** Parses command lines and test cases from text, because lists would have a line for each word or cell. */

/** Returns a row for each line, whose cells are separated by bars. */
export const casesIn = (text: string): readonly (readonly [string, ...string[]])[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [first = '', ...others] = line.split(/ \|(?= )/).map((cell) => cell.trim())
      return [first, ...others]
    })

/** The words of a command: a list, or a command line for {@link wordsIn}. */
export type Words = string | readonly string[]

export const wordsOf = (words: Words): readonly string[] =>
  typeof words === 'string' ? wordsIn(words) : words

/** Returns the words of a command line. Quotes ('…') enclose a word with spaces. */
export const wordsIn = (text: string): readonly string[] =>
  (text.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'(.*)'$/, '$1'))

/**
 * Returns the words of a template. A string value is a word or a part of one, and a list is a word for each element.
 */
export const line = (
  { raw }: TemplateStringsArray,
  ...values: readonly (string | readonly string[])[]
): string[] =>
  wordsIn(String.raw({ raw }, ...values.map((_, at) => `\0${at}\0`))).flatMap((word) => {
    const list = values[Number(/^\0(\d+)\0$/.exec(word)?.[1])]
    return Array.isArray(list) ? list : word.replaceAll(/\0(\d+)\0/g, (_, at) => String(values[Number(at)]))
  })
