/** Creates many valid tokens, each with a session, as an exchange does, but without logins. */
import { newSessionId } from '@ratafia/api'
import { encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import { formatExtra, UNRESTRICTED } from '@ratafia/macaroon/conditions'
import type { Scene } from '../../faults/load/scene.ts'
import { mintToken } from '../../packages/server/src/tokens/root-macaroon.ts'
import type { BenchInstallation } from '../services/installation.ts'
import { copyRow } from './copies.ts'
import { type Opened, opened } from './opened.ts'

const DAY_MS = 86_400_000

export interface MadeToken {
  readonly sessionId: string
  /** The token, as a client presents it. */
  readonly text: string
}

/** Creates tokens, spread evenly over the people of the scene. */
export function manyTokens(
  installation: BenchInstallation,
  scene: Scene,
  count: number,
): Promise<MadeToken[]> {
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
        ...{ location: 'ratafia.test', expires, since: now, sessionId, extra: formatExtra(UNRESTRICTED) },
      }
      const token = mintToken(minted, { key: 'userid', value: account.id })
      made.push({ sessionId, accountId: account.id, text: encodeBase64Url(encodeBinary(token)) })
    }
    await addSessions(on, count, (at) => [made[at]?.sessionId ?? '', made[at]?.accountId ?? ''])
    return made
  })
}

/** Creates only sessions, without tokens to present. They belong to the scene's first person. */
export async function manySessions(
  installation: BenchInstallation,
  scene: Scene,
  count: number,
): Promise<void> {
  await opened(installation, async (on) => {
    const [account] = await accountsOf(on, scene)
    await addSessions(on, count, () => [newSessionId(), account?.id ?? ''])
  })
}

/** Adds sessions. `own` returns the id and the account of each. */
async function addSessions(
  { database }: Opened,
  count: number,
  own: (at: number) => readonly [string, string],
): Promise<void> {
  const [session_id, account_id] = own(0)
  const now = Date.now()
  await database.query
    .insertInto('token_session')
    .values({
      ...{ session_id, account_id, description: null, created_at: now },
      ...{ valid_since: now, valid_until: now + DAY_MS, revoked_at: null, revoked_by: null },
    })
    .execute()
  const template = { table: 'token_session', key: 'session_id', of: session_id } as const
  const columns = ['session_id', 'account_id']
  await copyRow(database, { ...template, own: columns }, count - 1, (at) => own(at + 1))
}

export async function accountsOf({ accounts }: Opened, { people }: Scene) {
  const names = new Set(people.map(({ username }) => username))
  const all = await accounts.page({ after: undefined, limit: 1_000 })
  return all.filter(({ username }) => names.has(username))
}
