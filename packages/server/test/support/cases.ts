/** Command lines and cases of tests as text, where a list would take a line for each word or cell. */

/** A row for each line, with its cells between bars. */
export const casesIn = (text: string): readonly (readonly [string, ...string[]])[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [first = '', ...others] = line.split(/ \|(?= )/).map((cell) => cell.trim())
      return [first, ...others]
    })

/** The words of a command line; '…' holds one with spaces together. */
export const wordsIn = (text: string): readonly string[] =>
  (text.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'(.*)'$/, '$1'))

/** The same with values: each is one word, or a part of one; a list is as many words. */
export const line = (
  { raw }: TemplateStringsArray,
  ...values: readonly (string | readonly string[])[]
): string[] =>
  wordsIn(String.raw({ raw }, ...values.map((_, at) => `\0${at}\0`))).flatMap((word) => {
    const list = values[Number(/^\0(\d+)\0$/.exec(word)?.[1])]
    return Array.isArray(list) ? list : word.replaceAll(/\0(\d+)\0/g, (_, at) => String(values[Number(at)]))
  })
