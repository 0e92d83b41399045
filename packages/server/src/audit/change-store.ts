/** How changes are made: their stores and the audit log, on one transaction. */
import { newAuditEntryId } from '@ratafia/api'
import type { Author, Change, Changing, Recording } from '../change.ts'
import type { Clock } from '../clock.ts'
import { type Database, inTransaction } from '../database/index.ts'
import { auditStore } from './audit-store.ts'

type On = Pick<Database, 'query'>

/** Changes by `author`, whose stores `storesOn` makes. */
export const changing =
  <Stores>({ query }: On, clock: Clock, storesOn: (on: On) => Stores) =>
  (author: Author): Changing<Stores> =>
  (work) =>
    inTransaction(query, (transaction) => {
      const on = { query: transaction }
      return work({ ...storesOn(on), ...recordingOn(on, clock, author) })
    })

/** Entries are linked to the chain later, so that no change waits for another. */
export function recordingOn(on: On, clock: Clock, author: Author): Recording {
  const audit = auditStore(on)
  return {
    record: ({ action, subject, details = {} }: Change) => {
      const at = clock()
      return audit.add({
        id: newAuditEntryId(at),
        at,
        actor: storable(author.actor),
        source: storable(author.source),
        action,
        subject: storable(subject),
        details: JSON.stringify(details),
      })
    },
  }
}

/** Names that were checked stand as they are; others may have what no database takes as text. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
