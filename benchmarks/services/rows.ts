/**
 * Runs the database work that a request can't avoid, through the service's own driver and without anything else:
 * `read` reads a session by its primary key, `insert` inserts one durably. Runs 32 at a time on the environment's
 * installation.
 */
import { newSessionId, type SessionId } from '@ratafia/api'
import { readConfig } from '../../packages/server/src/config/config.ts'
import { openDatabase } from '../../packages/server/src/database/index.ts'
import { repeatOnDemand } from '../harness/repetitions.ts'

const CLIENTS = 32
const KNOWN = 10_000

const { query } = await openDatabase(readConfig(process.env).database)
const account = await query.selectFrom('account').select('id').executeTakeFirstOrThrow()
const known = (await query.selectFrom('token_session').select('session_id').limit(KNOWN).execute()).map(
  ({ session_id }) => session_id as SessionId,
)

let next = 0
const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  read: () =>
    query
      .selectFrom('token_session')
      .selectAll()
      .where('session_id', '=', known[next++ % known.length] ?? '')
      .executeTakeFirst(),
  insert: () => {
    const now = Date.now()
    const row = {
      ...{ session_id: newSessionId(), account_id: account.id, description: null },
      ...{ valid_since: now, valid_until: now + 3_600_000, created_at: now },
      ...{ revoked_at: null, revoked_by: null },
    }
    return query.insertInto('token_session').values(row).execute()
  },
}

const work = WORK[process.argv[2] ?? '']
if (!work) throw new TypeError('the argument must be read or insert')
await repeatOnDemand(CLIENTS, work)
process.exit()
