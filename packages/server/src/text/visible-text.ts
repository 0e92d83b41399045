/** Makes a stranger's text safe to show to a user who decides by it. */
import { betweenNeededJoiners } from './joiners.ts'

// Characters that are invisible, break the line, or change the order or look of their neighbours: controls, format
// characters (bidirectional marks, zero width joiners, tags), separators, unassigned and private code points, lone
// surrogates, and letters that are drawn as nothing.
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]|[\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu
/** More combining marks than any script uses on a letter, which would cover the lines above. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu

/**
 * Turns every invisible character into its code point (`⟨U+202E⟩`) and unusual white space into a space; after `limit`
 * characters, the text ends with `…`. Joiners stay where the spelling needs them. The result is plain text: `html`
 * escapes it.
 */
export function visibleText(text: string, limit: number): string {
  // Shortened first, so that the work is bounded. A character has at most two units.
  const bounded = text.slice(0, 2 * limit + 2)
  const characters = [...bounded]
  const cut = characters.length > limit || bounded.length < text.length
  const shown = characters
    .slice(0, limit)
    .join('')
    .replace(/\p{Zs}+/gu, ' ')
    .replace(PILED_MARKS, '$1')
  const visible = betweenNeededJoiners(shown, (part) =>
    part.replace(INVISIBLE, (character) => `⟨U+${hex(character)}⟩`),
  )
  return cut ? `${visible}…` : visible
}

const hex = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
