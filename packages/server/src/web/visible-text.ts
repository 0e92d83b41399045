/** Text of a stranger, made fit to be shown to somebody who decides by it. */

// What is invisible, breaks the line, or changes the order or the look of its neighbours: controls, format characters
// (bidirectional marks, zero width joiners, tags), separators, unassigned and private code points, lone surrogates,
// and the letters that Unicode draws as nothing.
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]|[\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu
/** More combining marks than any script uses on one letter: they climb over the lines above. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu

/**
 * Every invisible character becomes its code point (`⟨U+202E⟩`), unusual white space a space, and the text ends with
 * `…` after `limit` characters. The result is still plain text: `html` escapes it.
 */
export function visibleText(text: string, limit: number): string {
  // Cut before the rest, so that the work is bounded too; a character is at most two units.
  const bounded = text.slice(0, 2 * limit + 2)
  const characters = [...bounded]
  const cut = characters.length > limit || bounded.length < text.length
  const shown = characters
    .slice(0, limit)
    .join('')
    .replace(INVISIBLE, (character) => `⟨U+${hex(character)}⟩`)
    .replace(/\p{Zs}+/gu, ' ')
    .replace(PILED_MARKS, '$1')
  return cut ? `${shown}…` : shown
}

const hex = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
