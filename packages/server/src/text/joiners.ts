/**
 * Handles zero-width joiners (U+200C, U+200D), which names in Persian, Sinhala and many Indic scripts need for their
 * spelling. Between other letters, they are invisible and only make different strings look the same.
 */
import { domainToASCII } from 'node:url'

// A letter with its marks, one joiner, and the next letter with the marks before it.
const JOINER = /\p{L}\p{M}*\p{Join_Control}(?!\p{Join_Control})(?=(\p{M}*\p{L})?)/gu
// The virama can also follow: ya-phalaa in Bengali, the full ra in Kannada, touching letters in Sinhala.
const BEFORE_VIRAMA =
  /^(?:\u09b0\u200d\u09cd|\u0cb0\u200d\u0ccd|[\u0d85-\u0dc6]\u200d\u0dca)[\u0980-\u0dff]$/u

/**
 * Splits `text` before and after each joiner that its spelling needs, so that every second part is such a joiner. All
 * other joiners stay in the parts between.
 */
function splitAtNeededJoiners(text: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  for (const { 0: match, 1: next = '', index } of text.matchAll(JOINER)) {
    const end = index + match.length
    if (!isNeeded(match + next)) continue
    parts.push(text.slice(from, end - 1), text.slice(end - 1, end))
    from = end
  }
  return [...parts, text.slice(from)]
}

/** Applies `change` to the text between the joiners that its spelling needs. */
export const betweenNeededJoiners = (text: string, change: (part: string) => string): string =>
  splitAtNeededJoiners(text)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('')

/** Checks whether `unsafe` matches in `text`, apart from joiners that the spelling needs. Not for anchored patterns. */
export const findsUnsafe = (text: string, unsafe: RegExp): boolean =>
  splitAtNeededJoiners(text).some((part, at) => at % 2 === 0 && unsafe.test(part))

/** Checks whether `text` has more than one line, or characters that are not printed. */
export const isUnprintable = (text: string): boolean => findsUnsafe(text, /[\p{C}\p{Zl}\p{Zp}]/u)

// Uses the platform's host names, which follow RFC 5892 (A.1 and A.2) and need its tables of viramas and joining types.
const isNeeded = (letters: string): boolean => BEFORE_VIRAMA.test(letters) || domainToASCII(letters) !== ''
