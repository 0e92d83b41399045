// Takes a template of markup apart as a browser would, as far as words for people are concerned.

/** Words, and where a person meets them. */
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
/** What is in these is typed or copied as it is, and no language. */
const VERBATIM: ReadonlySet<string> = new Set(['code', 'kbd', 'pre', 'samp', 'script', 'style'])

const TAG = /<(\/?)([a-z][a-z0-9]*)((?:[^<>"]|"[^"]*")*)>|<!--[\s\S]*?-->|<!doctype[^>]*>/gi
const ATTRIBUTE = /([a-z][a-z0-9-]*)(?:="([^"]*)")?/gi
/** A template may be the attributes of a tag that another has begun. */
const FRAGMENT =
  /^(?:\0|\s+(?:[a-z][a-z0-9-]*="[^"]*"|autofocus|checked|disabled|hidden|multiple|novalidate|open|readonly|required|selected))+$/i

/** `template`: values in it are NUL characters. */
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

/** What stands in front of a quoted value is its name. */
const attributesIn = (text: string): readonly Piece[] =>
  [...text.matchAll(ATTRIBUTE)].flatMap(([, name = '', value = '']) =>
    SHOWN.has(name.toLowerCase()) ? [{ where: name, words: value.replaceAll('\0', ' ').trim() }] : [],
  )
