/**
 * The sealed texts of a login. Nothing is stored before a user has signed in, so the client carries the state of the
 * login, and only this service can read, create or change it. Each purpose has its own key, so the wait URL, which the
 * client keeps secret, cannot be derived from the visit URL, which it passes to a browser.
 */
import type { AccountId } from '@ratafia/api'
import { Type } from '@ratafia/api/type'
import { encodeBase64Url } from '@ratafia/macaroon'
import { Ajv } from 'ajv'
import type { Static } from 'typebox'
import type { Keyring } from '../../keyring/keyring.ts'

const Base64 = Type.String({ pattern: '^[A-Za-z0-9_-]+$' })
/** An instant in milliseconds since 1970. */
const Instant = Type.Integer({ minimum: 0 })

/** The data that the login page shows, and that completing the login needs. */
const VisitSchema = Type.Object({
  /** The login's id, 16 random bytes, which ensures that a login is completed only once. */
  login: Base64,
  expires: Instant,
  /** The address of the client that started the login. */
  address: Type.String(),
  userAgent: Type.String(),
  /** The public key that sealed the caveat, 32 bytes. */
  firstParty: Base64,
  /** Whether it belongs to a service whose summary the page trusts (`known-services.ts`). */
  known: Type.Boolean(),
  /** The summary in the form of `request-summary.ts`. */
  summary: Type.Union([Type.String(), Type.Null()]),
  /** Only for a login that a web site started; other clients wait at the wait URL. */
  back: Type.Optional(
    Type.Object({
      /** The digest of the caveat that the login is for. */
      caveat: Base64,
      /** The URL to return to, which `return-to.ts` has checked. */
      returnTo: Type.String(),
      /** The site's own state, which is returned unchanged. */
      state: Type.Union([Type.String(), Type.Null()]),
      /** Whether our own console started the login, for a caveat of our own. */
      console: Type.Boolean(),
    }),
  ),
})

/** The content of the URL that a web site sends a browser to. */
const RedirectSchema = Type.Object({
  /** The digest of the caveat that the login is for. */
  caveat: Base64,
  expires: Instant,
  address: Type.String(),
  firstParty: Base64,
  /** Whether the service that this identity service is part of sealed the caveat. */
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

/** The client gets this when the login is approved, and discharges with it. */
const LoginTokenSchema = Type.Object({
  login: Base64,
  caveat: Base64,
  account: Type.Unsafe<AccountId>(Type.String({ pattern: '^[A-Za-z0-9]{32}$' })),
  expires: Instant,
  /** The account's `loginsSince` when the login was approved; see `login-mark.ts`. */
  seen: Instant,
  /** When the user signed in to the browser. */
  signedInAt: Instant,
})

/** A browser takes this back to the web site, which gets a login token for it, once. */
const CodeSchema = Type.Object({
  /** The code's id, 16 random bytes, which ensures that it is used only once. */
  code: Base64,
  login: Base64,
  caveat: Base64,
  account: Type.Unsafe<AccountId>(Type.String({ pattern: '^[A-Za-z0-9]{32}$' })),
  /** The account's `loginsSince` when the browser went back; see `login-mark.ts`. */
  seen: Instant,
  signedInAt: Instant,
  expires: Instant,
})

/** Part of the confirmation form: proves that this browser was shown this login for this account. */
const ConsentSchema = Type.Object({ login: Base64, session: Base64 })

/** Used between the password and the code of a second factor: the account whose password was right, and an expiry. */
const SecondFactorSchema = Type.Object({
  account: Type.Unsafe<AccountId>(Type.String({ pattern: '^[A-Za-z0-9]{32}$' })),
  /** The account's `loginsSince` when its password was checked; see `login-mark.ts`. */
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
 * The same validator as for requests, because TypeBox's own would make the start of every process 10 %
 * slower. The meta schema is left out, because it takes 50 ms to compile.
 */
const validator = new Ajv({ meta: false, validateSchema: false })

type Purpose = keyof typeof SCHEMAS
export type Visit = Static<typeof VisitSchema>
export type Sealed<P extends Purpose> = Static<(typeof SCHEMAS)[P]>

/** Seals the content. Returns base64url, which is printable ASCII and can be part of a URL. */
export async function sealFor<P extends Purpose>(
  purpose: P,
  content: Sealed<P>,
  keyring: Keyring,
): Promise<string> {
  return keyring.sealText(`identity ${purpose}`, Buffer.from(JSON.stringify(content)))
}

/**
 * Opens a sealed text. Returns `undefined` unless this service sealed it for this purpose. The caller checks
 * its expiry.
 */
export async function openFor<P extends Purpose>(
  purpose: P,
  text: string,
  keyring: Keyring,
): Promise<Sealed<P> | undefined> {
  const bytes = await keyring.openText(`identity ${purpose}`, text)
  if (bytes === undefined) return undefined
  const content: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
  // A node of a different release may have sealed a text of a different shape.
  return validator.validate(SCHEMAS[purpose], content) ? (content as Sealed<P>) : undefined
}

export const toText = (bytes: Uint8Array): string => encodeBase64Url(bytes)
/** Decodes text that this service sealed; it does not check the alphabet. */
export const toBytes = (text: string): Uint8Array => Buffer.from(text, 'base64url')
