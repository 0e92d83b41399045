/**
 * The self-authenticating texts of a login. Nothing is stored before a person has proved who they are, so the state of
 * the login travels with the client, sealed: only we can read, make or change it. Each purpose has its own key, so the
 * wait URL, which the client keeps to itself, cannot be made from the visit URL, which it hands to a browser.
 */
import type { AccountId } from '@ratafia/api'
import { Type } from '@ratafia/api/type'
import { encodeBase64Url } from '@ratafia/macaroon'
import { Ajv } from 'ajv'
import type { Static } from 'typebox'
import type { Keyring } from '../../keyring/keyring.ts'

const Base64 = Type.String({ pattern: '^[A-Za-z0-9_-]+$' })
/** Epoch milliseconds. */
const Instant = Type.Integer({ minimum: 0 })

/** What the page shows, and what completing the login needs. */
const VisitSchema = Type.Object({
  /** 16 random bytes: the id that lets a login be completed only once. */
  login: Base64,
  expires: Instant,
  /** The address of the client that asks. */
  address: Type.String(),
  userAgent: Type.String(),
  /** The public key that sealed the caveat: 32 bytes. */
  firstParty: Base64,
  /** Whether it belongs to a service whose word the page passes on: see `known-services.ts`. */
  known: Type.Boolean(),
  /** As in `request-summary.ts`. */
  summary: Type.Union([Type.String(), Type.Null()]),
  /** Of a login that a web site began; another client waits elsewhere. */
  back: Type.Optional(
    Type.Object({
      /** The digest of the caveat that the login is for. */
      caveat: Base64,
      /** It was checked: see `return-to.ts`. */
      returnTo: Type.String(),
      /** The site's own, and goes back as it is. */
      state: Type.Union([Type.String(), Type.Null()]),
      /** Whether it is our own console that asks, for a caveat of our own. */
      console: Type.Boolean(),
    }),
  ),
})

/** What the address has to which a web site sends a browser. */
const RedirectSchema = Type.Object({
  /** The digest of the caveat that the login is for. */
  caveat: Base64,
  expires: Instant,
  address: Type.String(),
  firstParty: Base64,
  /** Whether that is the service that this identity service is part of. */
  own: Type.Boolean(),
  known: Type.Boolean(),
  summary: Type.Union([Type.String(), Type.Null()]),
})

const WaitSchema = Type.Object({
  login: Base64,
  /** The digest of the caveat that the login is for. */
  caveat: Base64,
  expires: Instant,
})

const AgentLoginSchema = Type.Object({ caveat: Base64, expires: Instant })

/** The client gets it when the login is confirmed, and discharges with it. */
const LoginTokenSchema = Type.Object({
  login: Base64,
  caveat: Base64,
  account: Type.Unsafe<AccountId>(Type.String({ pattern: '^[A-Za-z0-9]{32}$' })),
  expires: Instant,
  /** Of the account when the login was approved: see `login-mark.ts`. */
  seen: Instant,
  /** When the person signed in to the browser. */
  signedInAt: Instant,
})

/** A browser takes it back to the web site, which gets a login token for it, once. */
const CodeSchema = Type.Object({
  /** 16 random bytes: the id that lets it be used only once. */
  code: Base64,
  login: Base64,
  caveat: Base64,
  account: Type.Unsafe<AccountId>(Type.String({ pattern: '^[A-Za-z0-9]{32}$' })),
  /** Of the account when the browser went back: see `login-mark.ts`. */
  seen: Instant,
  signedInAt: Instant,
  expires: Instant,
})

/** In the confirmation form: this browser was shown this login for this account. */
const ConsentSchema = Type.Object({ login: Base64, session: Base64 })

/** Between the password and the code of a second factor: whose password was right, and until when that counts. */
const SecondFactorSchema = Type.Object({
  account: Type.Unsafe<AccountId>(Type.String({ pattern: '^[A-Za-z0-9]{32}$' })),
  /** Of the account when its password was checked: see `login-mark.ts`. */
  seen: Instant,
  expires: Instant,
})

const SCHEMAS = {
  visit: VisitSchema,
  redirect: RedirectSchema,
  wait: WaitSchema,
  'agent-login': AgentLoginSchema,
  'login-token': LoginTokenSchema,
  code: CodeSchema,
  consent: ConsentSchema,
  'second-factor': SecondFactorSchema,
} as const

/**
 * The validator of requests, because TypeBox's own would make every process start a tenth slower. Without the schema of
 * schemas, which takes 50 ms to compile.
 */
const validator = new Ajv({ meta: false, validateSchema: false })

type Purpose = keyof typeof SCHEMAS
export type Visit = Static<typeof VisitSchema>
export type Sealed<P extends Purpose> = Static<(typeof SCHEMAS)[P]>

/** base64url, so printable ASCII and fit for a URL. */
export async function sealFor<P extends Purpose>(
  purpose: P,
  content: Sealed<P>,
  keyring: Keyring,
): Promise<string> {
  return keyring.sealText(`identity ${purpose}`, Buffer.from(JSON.stringify(content)))
}

/** `undefined` unless this service sealed it for this purpose. The caller checks whether it has expired. */
export async function openFor<P extends Purpose>(
  purpose: P,
  text: string,
  keyring: Keyring,
): Promise<Sealed<P> | undefined> {
  const bytes = await keyring.openText(`identity ${purpose}`, text)
  if (bytes === undefined) return undefined
  const content: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
  // A node of another version may have sealed it in another shape.
  return validator.validate(SCHEMAS[purpose], content) ? (content as Sealed<P>) : undefined
}

export const toText = (bytes: Uint8Array): string => encodeBase64Url(bytes)
/** Only for text that we sealed: it does not check the alphabet. */
export const toBytes = (text: string): Uint8Array => Buffer.from(text, 'base64url')
