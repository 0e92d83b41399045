/**
 * The code that a browser takes back to a web site, and the token that the site gets for it. A code works
 * once, because its use inserts a row with its id.
 */
import { encodeBase64 } from '@ratafia/macaroon'
import { seenBy } from '../../accounts/ended-logins/login-mark.ts'
import { unauthorized } from '../../errors.ts'
import { randomId } from '../../random.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import type { SignedInSince } from '../logins/browser-session.ts'
import { LOGIN_TOKEN_KIND, LOGIN_TOKEN_MS, sealLoginToken } from '../logins/login-token.ts'
import { openFor, sealFor, toBytes, toText, type Visit } from '../logins/sealed-texts.ts'

/** How long a code can be used. */
const CODE_MS = 60_000

type Back = NonNullable<Visit['back']>

/** Creates a code, for a login that the user approved or that is to their own console. Stores nothing. */
export function newCode(
  { login, back: { caveat } }: { readonly login: string; readonly back: Back },
  { account, signedInAt }: SignedInSince,
  { keyring, clock }: Pick<IdentityDependencies, 'keyring' | 'clock'>,
): Promise<string> {
  return sealFor(
    'code',
    {
      ...{ code: toText(randomId(16)), login, caveat, account: account.id, seen: seenBy(account) },
      expires: clock().getTime() + CODE_MS,
      signedInAt: signedInAt.getTime(),
    },
    keyring,
  )
}

export interface CodeResult {
  readonly kind: string
  /** The token in padded standard base64, as Go's JSON encodes bytes. */
  readonly value: string
}

/**
 * Returns a token. Throws a 401 for a code that this service did not seal, that has expired, or that was used before.
 */
export async function redeemCode(
  text: string,
  { keyring, clock, completedLogins }: Pick<IdentityDependencies, 'keyring' | 'clock' | 'completedLogins'>,
): Promise<CodeResult> {
  const content = await openFor('code', text, keyring)
  if (!content) throw unauthorized('The code is not from this identity service. Log in again.')
  const now = clock()
  if (now.getTime() >= content.expires) {
    throw unauthorized('The code has expired: it works for a minute. Log in again.')
  }
  const { code, login, caveat, account, seen, signedInAt } = content
  const first = await completedLogins.insert({
    loginId: toBytes(code),
    accountId: account,
    decision: 'approved',
    seen,
    signedInAt: new Date(signedInAt),
    completedAt: now,
    // After that the code itself is refused, because it has expired.
    expiresAt: new Date(content.expires),
  })
  if (!first) throw unauthorized('The code was used before. Log in again.')
  const token = await sealLoginToken(
    { login, caveat, account, seen, signedInAt, expires: now.getTime() + LOGIN_TOKEN_MS },
    keyring,
  )
  return { kind: LOGIN_TOKEN_KIND, value: encodeBase64(Buffer.from(token, 'ascii')) }
}
