/** A day that was picked in a page: its midnight UTC, as the operations take instants (contract/administration.md, C10). */

/** Any other text stays as it is: the operation says what it should be. */
export const midnightOf = <Text extends string | undefined>(text: Text): Text | string =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
