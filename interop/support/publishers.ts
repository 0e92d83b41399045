/** Publishers for the tests: their second factors, their keyrings, and the list of their logins. */
import { createHmac } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { bindDischarge, decodeBase64, decodeBinary, encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import type { DatabaseKind, Installation } from './installation.ts'
import type { TokenRecord } from './token-life.ts'
import { addAccount, onEachDatabase, type World } from './world.ts'

/** Settings of a service whose discharges are soon stale. */
export const SHORT_DISCHARGES = { RATAFIA_DISCHARGE_LIFETIME: '3s' } as const

/** The milliseconds after which a discharge of {@link SHORT_DISCHARGES} is stale. */
export const UNTIL_STALE = 3_200

export interface Publisher {
  readonly username: string
  readonly email: string
  readonly password: string
}

export interface PublisherWithCodes extends Publisher {
  /** Returns an unused code: first one from the authenticator, then recovery codes. */
  readonly code: () => string
}

export interface PublisherTests {
  readonly world: () => World
  /** Declares a test that does not depend on the database, and therefore runs on SQLite only. */
  readonly once: Once
  /** Returns a publisher with a second factor, shared by all tests. Works only inside tests. */
  readonly secondFactor: () => PublisherWithCodes
}

export type Once = (title: string, work: () => Promise<void>) => unknown

/** Returns the runner's own function, so that a test belongs to the file that declares it. */
export const onceOf = (kind: DatabaseKind): Once => (kind === 'sqlite' ? test : () => {})

/** Declares tests for each database, with a service whose discharges are soon stale. */
export function publishersOnEachDatabase(declare: (tests: PublisherTests) => void): void {
  onEachDatabase((world, kind) => {
    let person: PublisherWithCodes | undefined
    before(async () => {
      person = await withSecondFactor(world().installation, 'two-factors')
    })
    const secondFactor = () => {
      if (!person) throw new TypeError('The publisher does not exist yet.')
      return person
    }
    declare({ world, secondFactor, once: onceOf(kind) })
  }, SHORT_DISCHARGES)
}

export async function withSecondFactor(
  installation: Installation,
  username: string,
): Promise<PublisherWithCodes> {
  const person = { username, email: `${username}@example.com`, name: username, password: 'right and long' }
  await addAccount(installation, person, person.password)
  const enabled = JSON.parse(await installation.ratafia(['accounts', 'totp', 'enable', username, '--json']))
  const { secret, recovery_codes: codes } = enabled as { secret: string; recovery_codes: string[] }
  const ways = [() => oneTimeCode(secret, new Date()), ...codes.map((code) => () => code)]
  const code = () => ways.shift()?.() ?? ''
  return { ...person, code }
}

/** Returns the variables that give a client and its other processes their own, empty keyring. */
export async function keyringIn({ directory }: Installation) {
  return {
    PYTHON_KEYRING_BACKEND: 'keyrings.alt.file.PlaintextKeyring',
    XDG_DATA_HOME: await mkdtemp(join(directory, 'keyring-')),
  }
}

export interface OwnSessions {
  /** Returns the active sessions that began later, newest first. */
  list(): Promise<readonly TokenRecord[]>
  /** Revokes the sessions with this description, or all. Their next request is refused. */
  revoke(description?: string): Promise<void>
}

/** Logs a publisher in once more, to list and revoke the sessions that begin later. */
export async function ownSessions(
  service: string,
  person: Pick<Publisher, 'email' | 'password'>,
): Promise<OwnSessions> {
  const token = await publisherToken(service, person)
  const headers = { authorization: `Macaroon ${token}`, 'content-type': 'application/json' }
  const all = async (): Promise<readonly TokenRecord[]> => {
    const answer = await fetch(`${service}/api/v2/tokens`, { headers })
    return ((await answer.json()) as { macaroons: TokenRecord[] }).macaroons
  }
  const before = new Set((await all()).map((session) => session['session-id']))
  const list = async () => (await all()).filter((session) => !before.has(session['session-id']))
  return {
    list,
    revoke: async (description) => {
      for (const session of await list()) {
        if (description !== undefined && session.description !== description) continue
        const body = JSON.stringify({ 'session-id': session['session-id'] })
        const answer = await fetch(`${service}/api/v2/tokens/revoke`, { method: 'POST', headers, body })
        if (!answer.ok) throw new Error(`a session was not revoked: ${await answer.text()}`)
      }
    },
  }
}

/** Returns the code for a secret in base32: RFC 6238 with SHA-1, 6 digits and 30 s. */
function oneTimeCode(secret: string, at: Date): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / 30_000)))
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0xf
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

function decodeBase32(text: string): Buffer {
  const digits = [...text.replace(/=+$/, '')].map((digit) => {
    const value = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit)
    if (value < 0) throw new TypeError(`not a digit of base32: ${digit}`)
    return value.toString(2).padStart(5, '0')
  })
  const bytes = digits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((bits) => Number.parseInt(bits, 2)))
}

/** Returns a token of the publisher's account. */
async function publisherToken(
  service: string,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<string> {
  const { macaroon } = await post<{ macaroon: string }>(`${service}/v1/tokens/usso`, {})
  const [root] = decodeBinary(decodeBase64(macaroon))
  const login = root.caveats.find(({ verificationId }) => verificationId !== undefined)
  const caveatId = Buffer.from(login?.id ?? []).toString()
  const asked = { email, password, caveat_id: caveatId }
  const answer = await post<{ discharge_macaroon: string }>(`${service}/api/v2/tokens/discharge`, asked)
  const [discharge] = decodeBinary(decodeBase64(answer.discharge_macaroon))
  const bound = encodeBase64Url(encodeBinary(bindDischarge(root, discharge)))
  const authorization = `Macaroon root=${macaroon}, discharge=${bound}`
  const exchange = `${service}/v1/tokens/usso/exchange`
  return (await post<{ macaroon: string }>(exchange, {}, { authorization })).macaroon
}

async function post<T>(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}
