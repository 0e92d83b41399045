/** `GET wait-token`: lets the client wait until its user has completed the login (contract/bakery.md 3.4). */
import { encodeBase64 } from '@ratafia/macaroon'
import { networksOf } from '../../addresses/address.ts'
import { invalidRequest, RequestError, unauthorized } from '../../errors.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import type { CompletedLogin } from './completed-login-store.ts'
import { LOGIN_TOKEN_KIND, LOGIN_TOKEN_MS, sealLoginToken } from './login-token.ts'
import { openFor, type Sealed, toBytes } from './sealed-texts.ts'

/** How long the client can fetch a completed login, repeatedly, because an answer can get lost. */
export const FETCH_MS = 60_000

export interface WaitInput {
  /** The sealed text from the `WaitTokenURL`. */
  readonly did: string
  /** The client's address. */
  readonly address: string
  /** How long to wait, in milliseconds. */
  readonly patience: number
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Called when the client has got a place among the waiting ones. */
  readonly onPlace?: () => void
}

export interface WaitResult {
  readonly kind: string
  /**
   * The token in padded standard base64, because Python clients decode nothing else. There is no plain `token` as well,
   * because they would use it and fail: py-macaroon-bakery forwards text as if it were bytes.
   */
  readonly token64: string
}

/** The login is not completed yet, but the request has waited long enough. The client can ask again. */
export class StillWaiting extends Error {
  override readonly name = 'StillWaiting'

  constructor() {
    super('This login is not approved yet. Ask again to keep waiting.')
  }
}

/**
 * Waits for the login. Returns `undefined` if the client has disconnected. Returns the same answer for a minute after
 * the completion, because an answer can get lost. Throws `invalid-request` (a string that this service did not seal), a
 * 401 (rejected or expired), `service-unavailable` (stopping, or too many clients wait) and {@link StillWaiting}.
 */
export async function waitForLogin(
  input: WaitInput,
  deps: IdentityDependencies,
): Promise<WaitResult | undefined> {
  const wait = await openFor('wait', input.did, deps.keyring)
  if (!wait) throw invalidRequest('The "did" is not from this identity service. Start the discharge again.')
  const left = Math.max(0, wait.expires - deps.clock().getTime())
  const end = await deps.waiters.wait(toBytes(wait.login), {
    from: networksOf(input.address),
    milliseconds: Math.min(input.patience, left),
    signal: input.signal,
    ...(input.onPlace ? { onPlace: input.onPlace } : {}),
  })
  switch (end) {
    case 'left':
      return undefined
    case 'closing':
      throw new RequestError(
        'service-unavailable',
        'This identity service is stopping. Try again in a moment.',
      )
    case 'full':
      throw new RequestError('service-unavailable', 'Too many clients are waiting. Try again in a moment.')
    case 'timeout':
      if (deps.clock().getTime() < wait.expires) throw new StillWaiting()
      throw expired()
    default:
      return result(end, wait, deps)
  }
}

async function result(
  { decision, accountId, seen, signedInAt, completedAt }: CompletedLogin,
  { login, caveat }: Sealed<'wait'>,
  { clock, keyring }: IdentityDependencies,
): Promise<WaitResult> {
  if (decision === 'denied') {
    throw unauthorized('The login was rejected in the browser.')
  }
  if (clock().getTime() >= completedAt.getTime() + FETCH_MS) throw expired()
  // The lifetime counts from the completion.
  const expires = completedAt.getTime() + LOGIN_TOKEN_MS
  const token = await sealLoginToken(
    { login, caveat, account: accountId, expires, seen, signedInAt: signedInAt.getTime() },
    keyring,
  )
  return { kind: LOGIN_TOKEN_KIND, token64: encodeBase64(Buffer.from(token, 'ascii')) }
}

const expired = () => unauthorized('This login has expired. Log in again.')
