// Splits a template of markup into its words for people, as a browser would parse it.

/** Words, and where people see them. */
export interface Piece {
  /** `text`, or the name of an attribute. */
  readonly where: string
  readonly words: string
}

/** Attributes that are shown or read aloud. */
const SHOWN: ReadonlySet<string> = new Set(
  'alt aria-description aria-label aria-placeholder aria-roledescription aria-valuetext data-copied data-l label placeholder summary title'.split(
    ' ',
  ),
)
/** Elements whose content people type or copy unchanged, so it is not in a language. */
const VERBATIM: ReadonlySet<string> = new Set(['code', 'kbd', 'pre', 'samp', 'script', 'style'])

const TAG = /<(\/?)([a-z][a-z0-9]*)((?:[^<>"]|"[^"]*")*)>|<!--[\s\S]*?-->|<!doctype[^>]*>/gi
const ATTRIBUTE = /([a-z][a-z0-9-]*)(?:="([^"]*)")?/gi
/** Matches a template that contains only the attributes of a tag that another template begins. */
const FRAGMENT =
  /^(?:\0|\s+(?:[a-z][a-z0-9-]*="[^"]*"|autofocus|checked|disabled|hidden|multiple|novalidate|open|readonly|required|selected))+$/i

/** Returns the words in `template`, in which NUL characters stand for values. */
export function piecesOf(template: string): readonly Piece[] {
  if (FRAGMENT.test(template)) return attributesIn(template)
  const pieces: Piece[] = []
  let end = 0
  let verbatim = 0
  const textUpTo = (index: number) => {
    const words = template
      .slice(end, index)
      .replaceAll(/&[a-z0-9#]+;|\0/gi, ' ')
      .trim()
    if (verbatim === 0 && words !== '') pieces.push({ where: 'text', words })
  }
  for (const { 0: tag, 1: slash, 2: name, 3: attributes = '', index } of template.matchAll(TAG)) {
    textUpTo(index)
    end = index + tag.length
    pieces.push(...attributesIn(attributes))
    if (name !== undefined && VERBATIM.has(name.toLowerCase())) {
      verbatim = Math.max(0, verbatim + (slash === '/' ? -1 : 1))
    }
  }
  textUpTo(template.length)
  return pieces
}

/** Returns the attributes in `text` that people see. */
const attributesIn = (text: string): readonly Piece[] =>
  [...text.matchAll(ATTRIBUTE)].flatMap(([, name = '', value = '']) =>
    SHOWN.has(name.toLowerCase()) ? [{ where: name, words: value.replaceAll('\0', ' ').trim() }] : [],
  )
