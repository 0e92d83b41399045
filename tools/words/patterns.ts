// The wording that a machine can see and that a reader stumbles over. CONTRIBUTING.md ("Words") has the rest.

/** Where a reader finds a passage. */
export type Place = 'comment' | 'heading' | 'prose' | 'string'

export interface Pattern {
  readonly name: string
  /** Without the flag `g`. Inline code has been taken out of the text that it is tried on. */
  readonly pattern: RegExp
  /** What to write instead. */
  readonly instead: string
  /** Everywhere if undefined. */
  readonly places?: readonly Place[]
}

const CREDENTIAL = '(?:tokens?|sessions?|logins?|discharges?|credentials?|macaroons?|grants?)'
const RECORD = `(?:${CREDENTIAL}|accounts?|rules?|keys?|agents?|jobs?|models?|brands?|operators?|cod(?:e|es))`

export const PATTERNS: readonly Pattern[] = [
  {
    name: 'begins-with-of',
    pattern: /^Of\b/,
    instead: 'begin with the noun: "The session\'s id", "When a root\'s discharge expires"',
  },
  {
    name: 'begins-with-what',
    pattern: /^What\b(?!.*\?)/,
    instead: 'begin with a noun, or with "Returns", "Checks", "Throws"',
    places: ['comment'],
  },
  {
    name: 'whoever',
    pattern: /\b(?:whoever|whomever|whosever|somebody|nobody|anybody|everybody)\b/i,
    instead: 'name the role ("the user", "an operator", "callers"), say "you", or use the passive',
  },
  {
    name: 'that-is-none',
    pattern: /\b(?:that|which|it|what) (?:is|are|was|were) none\b/i,
    instead: '"an invalid X", "is not an X"',
  },
  {
    name: 'is-no',
    pattern:
      /(?<!\bthere )\b(?:is|are|was|were) no (?!(?:longer|more|less|fewer|later|earlier|older|newer|larger|smaller|shorter|better|worse|different)\b)/i,
    instead: '"is not a X", or "there is no X" when X does not exist',
  },
  { name: 'for-good', pattern: /\bfor good\b/i, instead: '"permanently"' },
  { name: 'anew', pattern: /\banew\b/i, instead: '"again", or "a new X"' },
  { name: 'all-the-same', pattern: /\ball the same\b/i, instead: '"anyway", "still"' },
  { name: 'so-many', pattern: /\bso many\b/i, instead: '"that many", or the number' },
  { name: 'the-one-before', pattern: /\bthe (?:one|ones) before\b/i, instead: '"the previous one"' },
  { name: 'than-that', pattern: /\bno (?:longer|more) than that\b/i, instead: '"at most", with the limit' },
  { name: 'goes-on', pattern: /\b(?:go|goes|went|going) on\b/i, instead: '"continues", "keeps"' },
  {
    name: 'too',
    pattern: /, too(?=[.,;:)!?]|$| (?:and|but|if|when)\b)/i,
    instead: '"also", before the verb',
  },
  {
    name: 'says-what',
    pattern: /\b(?:says?|said|saying|tells?|told) (?:who|whose|what|how|which|whether|where|when|why)\b/i,
    instead: '"shows", "explains", "returns", "reports", "contains"',
  },
  { name: 'beside', pattern: /\bbeside\b/i, instead: '"next to", "besides", "as well as", "with"' },
  {
    name: 'as-it-is',
    pattern: /\bas (?:it is|they are)(?=[.,;:)]|$)/i,
    instead: '"unchanged"',
  },
  {
    name: 'stands',
    pattern: /\b(?:stands?|stood) (?:in|on|at|there|behind|before|after|below|above|next to|twice)\b/i,
    instead: '"is"',
  },
  {
    name: 'ends',
    pattern: new RegExp(`\\b${CREDENTIAL}(?: (?:has|have|had|that|which|who|it))? (?:ends?|ended)\\b`, 'i'),
    instead: '"expires", "has expired", or "is revoked"',
  },
  {
    name: 'end-of',
    pattern: new RegExp(
      `\\b(?:the|its|their|an?) end of (?:the |an? |its |their |this )?${CREDENTIAL}\\b`,
      'i',
    ),
    instead: '"when the token expires", "expiry"',
  },
  {
    name: 'makes',
    pattern: new RegExp(
      `\\b(?:make|makes|made|making) (?:an? |the |new |another |one |this )*(?:new )?(?:${RECORD})\\b(?! (?:valid|invalid|work|expire|sure))`,
      'i',
    ),
    instead: '"create", "sign", "issue"',
  },
  {
    name: 'colon-that',
    pattern: /^[^:]{1,60}: that /,
    instead: 'say what happens, as a sentence: "Refuses an expired token"',
    places: ['heading', 'string'],
  },
  {
    name: 'house-metaphor',
    pattern:
      /\b(?:unheard|(?:questions?|asks?) (?:of|from|by) the store|change feeds?|another way in|ways in)\b/i,
    instead: '"stale", "session check", "change notifications", "another credential"',
  },
]
