/**
 * A form that was sent too late is kept while its user signs in again (contract/administration.md, B10). It is sealed
 * under a key that is derived from a secret that only the browser has, so the database alone does not reveal a form.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import type { AccountId } from '@ratafia/api'
import { isObject, jsonIn } from '../../foreign-json.ts'
import type { Stores } from '../../stores.ts'
import { consolePath } from './console-path.ts'

export interface KeptForm {
  /** The path that the form was sent to, from the root of the service, with its query. */
  readonly path: string
  readonly fields: readonly (readonly [name: string, value: string])[]
}

export const KEPT_MS = 30 * 60_000
const MOST_BYTES = 16 * 1024

/** Fields that belong to the session, and secrets. Users type secrets again. */
const LEFT_OUT = /^csrf$|passw|secret|token|^code$|^pin$/i

/**
 * Keeps the form, and returns the secret that opens it, for the browser only. Keeps nothing and returns undefined if
 * the form is too large, or was not sent to a console page. `accountId`: the account of the signed-in user.
 */
export async function keepForm(
  { accountId, path, fields }: KeptForm & { readonly accountId: AccountId },
  { keptForms, clock }: Stores,
): Promise<string | undefined> {
  const kept = fields.filter(([name]) => !LEFT_OUT.test(name))
  const content = Buffer.from(JSON.stringify({ path, fields: kept }))
  if (content.length > MOST_BYTES || consolePath(path) === undefined) return undefined
  const secret = randomBytes(32)
  const keptAt = clock()
  await keptForms.add({
    id: idOf(secret),
    accountId,
    sealed: seal(content, secret, accountId),
    keptAt,
    expiresAt: new Date(keptAt.getTime() + KEPT_MS),
  })
  return secret.toString('base64url')
}

/** Returns the form, once. Undefined for another account, an unknown secret, or a form that was taken or is too old. */
export async function takeForm(
  { secret: text, accountId }: { readonly secret: string; readonly accountId: AccountId },
  { keptForms, clock }: Stores,
): Promise<KeptForm | undefined> {
  if (!/^[\w-]{43}$/.test(text)) return undefined
  const secret = Buffer.from(text, 'base64url')
  const kept = await keptForms.take(idOf(secret), accountId)
  if (!kept || kept.expiresAt <= clock()) return undefined
  return formIn(open(kept.sealed, secret, accountId))
}

function formIn(text: string): KeptForm | undefined {
  const value = jsonIn(text)
  if (!isObject(value) || !Array.isArray(value['fields'])) return undefined
  const path = typeof value['path'] === 'string' ? consolePath(value['path']) : undefined
  const fields = value['fields'].filter(isField)
  return path === undefined ? undefined : { path, fields }
}

const isField = (item: unknown): item is [string, string] =>
  Array.isArray(item) && item.length === 2 && item.every((one) => typeof one === 'string')

/** Returns an id that is as random as the secret and does not reveal it. */
const idOf = (secret: Uint8Array): Uint8Array => hash('sha256', secret, 'buffer').subarray(0, 16)

const NONCE_BYTES = 12
const TAG_BYTES = 16

const keyFor = (secret: Uint8Array, accountId: string): Uint8Array =>
  Buffer.from(hkdfSync('sha256', secret, accountId, 'ratafia kept form', 32))

function seal(content: Uint8Array, secret: Uint8Array, accountId: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyFor(secret, accountId), nonce)
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}

/** Throws if the row was altered. */
function open(sealed: Uint8Array, secret: Uint8Array, accountId: string): string {
  const bytes = Buffer.from(sealed)
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', keyFor(secret, accountId), nonce, {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
  const content = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES))
  return Buffer.concat([content, decipher.final()]).toString('utf8')
}
