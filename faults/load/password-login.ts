/**
 * A login by a publisher tool: a root from the dashboard API, and its discharge for a password. Tools present the pair
 * with each request, and refresh the discharge.
 */
import {
  bindDischarge,
  decodeBase64,
  decodeBinary,
  encodeBase64Url,
  encodeBinary,
  type Macaroon,
} from '@ratafia/macaroon'
import { type Credential, json, type Login, sessionIdOf, subjectsOf } from './log-in.ts'
import type { Random } from './random.ts'
import { PASSWORD, type Person } from './scene.ts'
import type { Request, Wire } from './wire.ts'

/** Root and discharge in base64, as the service gave them: the discharge is not bound. */
interface Texts {
  readonly root: string
  readonly discharge: string
}

export interface Pair extends Credential, Login, Texts {
  /** Whether it was exported: then its discharge lasts as long as its session, and is not meant to be refreshed. */
  readonly exported: boolean
}

/** Headers of a request over https, because the service accepts passwords over https only. */
const ENCRYPTED = { 'x-forwarded-proto': 'https' }

/**
 * Logs in with a password. Returns undefined if a step was refused or not answered. Root and discharge may come from
 * different nodes.
 */
export async function logInWithPassword(
  person: Person,
  wire: Wire,
  random: Random,
  era: number,
): Promise<Pair | undefined> {
  const asked = await wire.send(wire.pick(random), json('password-root', '/dev/api/acl/', {}))
  if (asked.status !== 200) return undefined
  const root: string = JSON.parse(asked.body).macaroon
  const session = sessionIdOf(decode(root))
  const { status, body } = await wire.send(wire.pick(random), discharging(root, person, session))
  if (status !== 200) return undefined
  return pairOf({ person, era, session }, { root, discharge: JSON.parse(body).discharge_macaroon })
}

/** Returns the request for a discharge. Its answer opens a session that can be listed and revoked, used or not. */
function discharging(root: string, { username }: Person, session: string): Request {
  const caveat = decode(root).caveats.find(({ verificationId }) => verificationId !== undefined)
  const body = {
    ...{ email: `${username}@example.com`, password: PASSWORD },
    caveat_id: Buffer.from(caveat?.id ?? []).toString(),
  }
  return {
    ...json('password-discharge', '/api/v2/tokens/discharge', body, ENCRYPTED),
    uses: [`account ${username}`],
    proves: () => ({ session }),
  }
}

export const refreshing = (pair: Pair, final = false): Request => ({
  ...json('refresh-discharge', '/api/v2/tokens/refresh', { discharge_macaroon: pair.discharge }, ENCRYPTED),
  ...{ uses: subjectsOf(pair), mustHold: !pair.exported, final },
})

/** Returns the pair with the discharge from the answer to a refresh. */
export const refreshed = (pair: Pair, body: string): Pair =>
  pairOf(pair, { root: pair.root, discharge: JSON.parse(body).discharge_macaroon }, pair)

/** Returns the request for another root and discharge of the same session. */
export const exporting = (pair: Pair): Request => ({
  ...json('export', '/api/v2/tokens/export', {}, pair.headers),
  uses: subjectsOf(pair),
  proves: (body) => ({ session: JSON.parse(body)['session-id'] }),
})

export const exported = (pair: Pair, body: string): Pair => pairOf(pair, JSON.parse(body), { exported: true })

function pairOf(
  { person, era, session }: Omit<Login, 'exchanged'>,
  { root, discharge }: Texts,
  { exported }: Pick<Pair, 'exported'> = { exported: false },
): Pair {
  const headers = presenting({ root, discharge })
  return {
    ...{ person, era, session, root, discharge, exported, headers },
    exchanged: { path: '/v1/tokens/usso/exchange', headers },
    // A root created shortly after all logins were revoked can still count as earlier.
    lasts: era === 0,
  }
}

/** Binds the discharge to the root, as clients do for each request. */
export function presenting({ root, discharge }: Texts): { readonly authorization: string } {
  const bound = encodeBase64Url(encodeBinary(bindDischarge(decode(root), decode(discharge))))
  return { authorization: `Macaroon root=${root}, discharge=${bound}` }
}

function decode(text: string): Macaroon {
  const [macaroon] = decodeBinary(decodeBase64(text))
  return macaroon
}
