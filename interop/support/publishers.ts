/** The people who publish: their second factor, and what an operator sees and does of their logins. */
import { createHmac } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Installation } from './installation.ts'
import { addAccount } from './world.ts'

/** How a service is started whose discharges are soon stale. */
export const SHORT_DISCHARGES = { RATAFIA_DISCHARGE_LIFETIME: '2s' } as const

/** Longer than a discharge of {@link SHORT_DISCHARGES} lives. */
export const UNTIL_STALE = 2_200

export interface Publisher {
  readonly username: string
  readonly email: string
  readonly password: string
  /** A code that has not been used yet. */
  readonly code: () => string
}

/** Each code is taken once, so a test that types one has a person of its own. */
export async function withSecondFactor(installation: Installation, username: string): Promise<Publisher> {
  const person = { username, email: `${username}@example.com`, name: username, password: 'right and long' }
  await addAccount(installation, person, person.password)
  const enabled = await installation.ratafia(['accounts', 'totp', 'enable', username, '--json'])
  const { secret } = JSON.parse(enabled) as { secret: string }
  return { ...person, code: () => oneTimeCode(secret, new Date()) }
}

/** The variables that give a client an empty keyring of its own, and the same one to its other processes. */
export async function keyringIn({ directory }: Installation): Promise<Readonly<Record<string, string>>> {
  return {
    PYTHON_KEYRING_BACKEND: 'keyrings.alt.file.PlaintextKeyring',
    XDG_DATA_HOME: await mkdtemp(join(directory, 'keyring-')),
  }
}

export interface Session {
  readonly session_id: string
  readonly description: string | null
  readonly username: string
}

/** The active ones of an account, the newest first. */
export async function sessionsOf(installation: Installation, username: string): Promise<readonly Session[]> {
  return JSON.parse(await installation.ratafia(['tokens', 'list', '--account', username, '--json']))
}

/** Revokes them as an operator. The running service hears of it within a second. */
export async function revokeSessions(
  installation: Installation,
  sessions: readonly Session[],
): Promise<void> {
  const ids = sessions.map(({ session_id: id }) => id)
  await installation.ratafia(['tokens', 'revoke', ...ids, '--json'])
}

/** RFC 6238 with SHA-1, 6 digits and 30 s, of a secret in base32. */
export function oneTimeCode(secret: string, at: Date): string {
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
