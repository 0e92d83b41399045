/** Patterns of texts in requests, each with the end of the sentence that refuses another text. */

interface Pattern {
  readonly pattern: string
  /** Continues the name of the field. */
  readonly otherwise: string
}

export const PRINTABLE = {
  pattern: '^[ -~]{1,128}$',
  otherwise: 'is empty, longer than 128 characters, or has characters other than printable ASCII',
} as const satisfies Pattern

export const FORMAT_NUMBER = {
  pattern: '^(0|[1-9][0-9]{0,8})$',
  otherwise: 'must be a whole number, such as 1',
} as const satisfies Pattern

export const PATTERNS: readonly Pattern[] = [PRINTABLE, FORMAT_NUMBER]
