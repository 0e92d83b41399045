/** Finds the verb and the table of a statement in its text, which is safe to show because values are placeholders. */

const KINDS = ['select', 'insert', 'update', 'delete', 'begin', 'commit', 'rollback'] as const
export type StatementKind = (typeof KINDS)[number] | 'other'

export function kindOf(text: string): StatementKind {
  // The first verb, if there are several.
  const [, word = ''] = /^(?:with [a-z]+ as \(\s*)?([a-z]+)/i.exec(text.slice(0, 64)) ?? []
  return KINDS.find((kind) => kind === word.toLowerCase()) ?? 'other'
}

/** Returns the first table that the statement names; undefined if it does not name one. */
export const tableIn = (text: string): string | undefined =>
  /\b(?:from|into|update|join) "([a-z_]+)"/i.exec(text)?.[1]
