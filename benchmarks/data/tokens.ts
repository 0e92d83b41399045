/** Many live tokens: a session and a token for each, as an exchange makes them, without the logins. */
import { newSessionId } from '@ratafia/api'
import { encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import { UNRESTRICTED } from '@ratafia/macaroon/conditions'
import type { Scene } from '../../faults/load/scene.ts'
import { mintToken } from '../../packages/server/src/tokens/root-macaroon.ts'
import type { BenchInstallation } from '../services/installation.ts'
import { groupsOf, type Opened, opened } from './opened.ts'

const DAY_MS = 86_400_000
/** Rows of one statement: PostgreSQL takes 65,535 parameters, SQLite 32,766. */
const ROWS = 2_000

export interface MadeToken {
  readonly sessionId: string
  /** As a client presents it. */
  readonly text: string
}

/** They belong to the people of the scene in turn. */
export async function manyTokens(
  installation: BenchInstallation,
  scene: Scene,
  count: number,
): Promise<readonly MadeToken[]> {
  return opened(installation, async (on) => {
    const accounts = await accountsOf(on, scene)
    const now = new Date()
    const expires = new Date(now.getTime() + DAY_MS)
    const made: (MadeToken & { readonly accountId: string })[] = []
    for (let at = 0; at < count; at++) {
      const account = accounts[at % accounts.length]
      if (!account) throw new TypeError('the scene has people')
      const sessionId = newSessionId()
      const minted = {
        ...(await on.keyring.mintId('token')),
        ...{ location: 'ratafia.test', expires, since: now, sessionId, attenuations: UNRESTRICTED },
      }
      const token = mintToken(minted, { key: 'userid', value: account.id })
      made.push({ sessionId, accountId: account.id, text: encodeBase64Url(encodeBinary(token)) })
    }
    for (const group of groupsOf(made, ROWS)) {
      const values = group.map(({ sessionId, accountId }) => ({
        ...{ session_id: sessionId, account_id: accountId, description: null },
        ...{ valid_since: now.getTime(), valid_until: expires.getTime(), created_at: now.getTime() },
        ...{ revoked_at: null, revoked_by: null },
      }))
      await on.database.query.insertInto('token_session').values(values).execute()
    }
    return made
  })
}

export async function accountsOf({ accounts }: Opened, { people }: Scene) {
  const names = new Set(people.map(({ username }) => username))
  const all = await accounts.page({ after: undefined, limit: 1_000 })
  return all.filter(({ username }) => names.has(username))
}
