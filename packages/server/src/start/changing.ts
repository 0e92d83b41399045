/** Puts the stores of a change and the audit log on one transaction. */
import { auditStore } from '../audit/audit-store.ts'
import { recordingBy } from '../audit/recording.ts'
import type { Author, Changing, Recording } from '../change.ts'
import type { Clock } from '../clock.ts'
import { type Database, inTransaction } from '../database/index.ts'

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

export const recordingOn = (on: On, clock: Clock, author: Author): Recording =>
  recordingBy(author, { audit: auditStore(on), clock })
