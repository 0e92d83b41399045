/** What a statement does, and to which table: from its text, in which values are only placeholders. */

const KINDS = ['select', 'insert', 'update', 'delete', 'begin', 'commit', 'rollback'] as const
export type StatementKind = (typeof KINDS)[number] | 'other'

export function kindOf(text: string): StatementKind {
  const [word = ''] = /^[a-z]+/i.exec(text.slice(0, 16)) ?? []
  return KINDS.find((kind) => kind === word.toLowerCase()) ?? 'other'
}

/** The first table it names, if it names one. */
export const tableOf = (text: string): string | undefined =>
  /\b(?:from|into|update) "([a-z_]+)"/i.exec(text)?.[1]
