/** The verb and the table of a statement, from its text. Values are placeholders there, so it is safe to show. */

const KINDS = ['select', 'insert', 'update', 'delete', 'begin', 'commit', 'rollback'] as const
export type StatementKind = (typeof KINDS)[number] | 'other'

export function kindOf(text: string): StatementKind {
  // Of several in one, the first.
  const [, word = ''] = /^(?:with [a-z]+ as \(\s*)?([a-z]+)/i.exec(text.slice(0, 64)) ?? []
  return KINDS.find((kind) => kind === word.toLowerCase()) ?? 'other'
}

/** The first table it names, if any. */
export const tableIn = (text: string): string | undefined =>
  /\b(?:from|into|update|join) "([a-z_]+)"/i.exec(text)?.[1]
