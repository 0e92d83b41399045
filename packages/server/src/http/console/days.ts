/** A day picked on a page: its midnight UTC, because operations expect instants (contract/administration.md, C10). */

/** Returns any other text unchanged: the operation's refusal explains the format. */
export const midnightOf = <Text extends string | undefined>(text: Text): Text | string =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
