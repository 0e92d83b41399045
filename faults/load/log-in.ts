/** A login by a bakery client with an agent's key: root, discharge, exchange. */
import { decodeBinary, encodeBase64, encodeBase64Url, encodeBinary, type Macaroon } from '@ratafia/macaroon'
import {
  type BakeryMacaroon,
  decodeBakeryMacaroon,
  dischargeAll,
  formatMacaroonsHeader,
} from '@ratafia/macaroon/bakery'
import type { Random } from './random.ts'
import type { Person } from './scene.ts'
import type { Request, Target, Wire } from './wire.ts'

/** A session, or a login that can open it. */
export interface Opening {
  readonly person: Person
  /** The era in which it began: see `client.ts`. */
  readonly era: number
  /** The session's id. */
  readonly session: string
  /** The name of the rule that opened it, if one did. */
  readonly rule?: string
}

/** A root and its discharge. Except after a password, the service records the login only when it is presented. */
export interface Login extends Opening {
  /** Presents root and discharge, which can be exchanged repeatedly. */
  readonly exchanged: { readonly path: string; readonly headers: Headers }
}

/** A credential that a client keeps and presents with each request. */
export interface Credential extends Opening {
  readonly headers: Headers
  /** Whether only a revocation can make it invalid during the run. */
  readonly lasts: boolean
}

export type Token = Credential & Login

type Headers = Readonly<Record<string, string>>

/** A step whose answer lacks what the next one needs. */
class Stopped extends Error {}

/** The endpoints that issue a token. */
interface Issue {
  readonly root: string
  readonly exchange: string
}

const TOKENS = '/api/v2/tokens'
const DEVELOPER: Issue = { root: TOKENS, exchange: `${TOKENS}/exchange` }
/** The endpoints for tokens of the management API. */
export const MANAGEMENT: Issue = {
  root: '/api/management/v1/tokens/root',
  exchange: '/api/management/v1/tokens/exchange',
}
const BAKERY = { 'bakery-protocol-version': '3' }

export const loginsOf = (person: Person, era: number): string => `logins ${person.username}/${era}`

export const subjectsOf = ({ person, era, session, rule }: Opening): readonly string[] => [
  `session ${session}`,
  `account ${person.username}`,
  loginsOf(person, era),
  ...(rule === undefined ? [] : [`rule ${rule}`]),
]

/** Logs in. Returns undefined if a step was refused or not answered. */
export async function logIn(
  person: Person,
  wire: Wire,
  random: Random,
  era = 0,
  issue = DEVELOPER,
): Promise<Token | undefined> {
  const begun = await beginLogin(person, wire, random, era, issue)
  return begun && exchange(begun.login, wire, random, begun.sticky)
}

/** Gets a root and its discharge without presenting them. Returns undefined if a step was refused or not answered. */
export async function beginLogin(
  person: Person,
  wire: Wire,
  random: Random,
  era: number,
  issue = DEVELOPER,
): Promise<{ readonly login: Login; readonly sticky: Target | undefined } | undefined> {
  // Half of the logins move from node to node, the others stay with one.
  const sticky = random.chance(0.5) ? wire.pick(random) : undefined
  const send = async (request: Request, wanted: number) => {
    const { status, body } = await wire.send(sticky ?? wire.pick(random), request)
    if (status !== wanted) throw new Stopped()
    return JSON.parse(body)
  }
  try {
    const asked = await send({ ...json('root', issue.root, {}) }, 200)
    const root = decodeBakeryMacaroon(JSON.parse(asked.macaroon))
    const slice = await dischargeAll(root, (need) => dischargeAsAgent(need, person, send))
    const session = sessionIdOf(root.macaroon)
    const exchanged = { path: issue.exchange, headers: { macaroons: formatMacaroonsHeader(slice) } }
    return { login: { person, era, session, exchanged }, sticky }
  } catch (error) {
    if (error instanceof Stopped) return undefined
    throw error
  }
}

export const exchanging = (login: Login, final = false): Request => ({
  ...json('exchange', login.exchanged.path, {}, login.exchanged.headers),
  ...{ uses: subjectsOf(login), final },
  proves: () => ({ session: login.session }),
})

/** Exchanges a login, for the first time or again. */
export async function exchange(
  login: Login,
  wire: Wire,
  random: Random,
  target: Target = wire.pick(random),
): Promise<Token | undefined> {
  const { status, body } = await wire.send(target, exchanging(login))
  if (status !== 200) return undefined
  return { ...login, headers: { authorization: `Macaroon ${JSON.parse(body).macaroon}` }, lasts: true }
}

export function whoami(credential: Credential, final = false): Request {
  const { headers, lasts: mustHold } = credential
  return {
    ...{ kind: 'whoami', method: 'GET', path: `${TOKENS}/whoami`, headers },
    ...{ uses: subjectsOf(credential), mustHold, final },
  }
}

export function listTokens(credential: Credential): Request {
  const { headers, lasts: mustHold } = credential
  return {
    ...{ kind: 'list', method: 'GET', path: TOKENS, headers },
    ...{ uses: subjectsOf(credential), mustHold },
  }
}

/** Returns the owner's request to revoke a session, with the same credential or another one. */
export function revoke(ended: Opening, by: Credential): Request {
  return {
    ...json('revoke', `${TOKENS}/revoke`, { 'session-id': ended.session }, by.headers),
    ...{ uses: subjectsOf(by), ends: `session ${ended.session}` },
  }
}

async function dischargeAsAgent(
  need: { readonly id: Uint8Array; readonly caveat: Uint8Array | undefined },
  { username, keyPair }: Person,
  send: (
    request: Request,
    wanted: number,
  ) => Promise<{
    Info: { InteractionMethods: { agent: { 'login-url': string } } }
    macaroon: unknown
    Macaroon: unknown
  }>,
): Promise<BakeryMacaroon> {
  const form = (more: Record<string, string>) => ({
    ...({ kind: 'discharge', method: 'POST', path: '/identity/discharge' } as const),
    headers: { ...BAKERY, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      id64: encodeBase64(need.id),
      ...(need.caveat && { caveat64: encodeBase64Url(need.caveat) }),
      ...more,
    }).toString(),
  })
  const { Info } = await send(form({}), 401)
  const url = new URL(Info.InteractionMethods.agent['login-url'])
  url.searchParams.set('username', username)
  url.searchParams.set('public-key', encodeBase64(keyPair.publicKey))
  const path = `${url.pathname}${url.search}`
  const uses = [`account ${username}`]
  const answered = await send({ kind: 'agent-login', method: 'GET', path, headers: BAKERY, uses }, 200)
  const slice = await dischargeAll(
    decodeBakeryMacaroon(answered.macaroon),
    () => {
      throw new TypeError('an agent discharges only its own caveat')
    },
    { localKeyPair: keyPair },
  )
  const token64 = encodeBase64Url(encodeBinary(...slice))
  const discharged = await send({ ...form({ 'token-kind': 'agent', token64 }), uses }, 200)
  return decodeBakeryMacaroon(discharged.Macaroon)
}

/** Returns a request with a JSON body. */
export function json(kind: Request['kind'], path: string, body: unknown, headers: Headers = {}): Request {
  return {
    ...{ kind, method: 'POST', path, body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', ...headers },
  }
}

/** Returns the session id in a macaroon of this service. */
export function sessionIdOf(macaroon: Macaroon): string {
  for (const { id } of macaroon.caveats) {
    const [, found] = /^session-id (.+)$/.exec(Buffer.from(id).toString()) ?? []
    if (found !== undefined) return found
  }
  throw new Error('the macaroon has no session-id')
}

export const sessionIdIn = (text: string): string => {
  const [macaroon] = decodeBinary(Buffer.from(text, 'base64url'))
  if (!macaroon) throw new Error('there is no macaroon')
  return sessionIdOf(macaroon)
}
