/**
 * The self-authenticating texts of a login. Before somebody has proved who they are nothing is stored, so what has to
 * be remembered travels with the client, sealed: nobody can read, make or change it. Each purpose has a key of its own,
 * so the wait URL, which the client keeps to itself, cannot be made from the visit URL, which it hands to a browser.
 */
import type { AccountId } from '@ratafia/api'
import { encodeBase64Url } from '@ratafia/macaroon'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Keyring } from '../../keyring/keyring.ts'

const Base64 = Type.String({ pattern: '^[A-Za-z0-9_-]+$' })
/** Epoch milliseconds. */
const Instant = Type.Integer({ minimum: 0 })

/** What the page needs to show, and what completing the login needs. */
const VisitSchema = Type.Object({
  /** 16 random bytes: what makes a login be completed once. */
  login: Base64,
  expires: Instant,
  /** Of the client that asks. */
  address: Type.String(),
  userAgent: Type.String(),
  /** Who sealed the caveat: 32 bytes. */
  firstParty: Base64,
  /** Whether that is the service this identity service belongs to. */
  known: Type.Boolean(),
  /** As in `request-summary.ts`. */
  summary: Type.Union([Type.String(), Type.Null()]),
})

const WaitSchema = Type.Object({
  login: Base64,
  /** The digest of the caveat that the login is for. */
  caveat: Base64,
  expires: Instant,
})

const AgentLoginSchema = Type.Object({ caveat: Base64, expires: Instant })

/** What the client gets when the login is confirmed, and discharges with. */
const LoginTokenSchema = Type.Object({
  login: Base64,
  caveat: Base64,
  account: Type.Unsafe<AccountId>(Type.String({ pattern: '^[A-Za-z0-9]{32}$' })),
  expires: Instant,
})

/** In the confirmation form: this very browser was shown this very login as this account. */
const ConsentSchema = Type.Object({ login: Base64, session: Base64 })

const SCHEMAS = {
  visit: VisitSchema,
  wait: WaitSchema,
  'agent-login': AgentLoginSchema,
  'login-token': LoginTokenSchema,
  consent: ConsentSchema,
} as const

type Purpose = keyof typeof SCHEMAS
export type Visit = Static<typeof VisitSchema>
export type LoginTokenContent = Static<typeof LoginTokenSchema>
export type Sealed<P extends Purpose> = Static<(typeof SCHEMAS)[P]>

type TextSealer = Pick<Keyring, 'sealText' | 'openText'>

/** base64url, so printable ASCII and fit for a URL. */
export async function sealFor<P extends Purpose>(
  purpose: P,
  content: Sealed<P>,
  keyring: TextSealer,
): Promise<string> {
  return keyring.sealText(`identity ${purpose}`, Buffer.from(JSON.stringify(content)))
}

/** `undefined` for whatever this service did not seal for this purpose. That it has expired is for the caller. */
export async function openFor<P extends Purpose>(
  purpose: P,
  text: string,
  keyring: TextSealer,
): Promise<Sealed<P> | undefined> {
  const bytes = await keyring.openText(`identity ${purpose}`, text)
  if (bytes === undefined) return undefined
  const content: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
  // A node of another version may have sealed it: its own shape is no text of ours.
  return Value.Check(SCHEMAS[purpose], content) ? (content as Sealed<P>) : undefined
}

export const toText = (bytes: Uint8Array): string => encodeBase64Url(bytes)
/** For what was sealed by us: no other base64 than our own. */
export const toBytes = (text: string): Uint8Array => Buffer.from(text, 'base64url')
