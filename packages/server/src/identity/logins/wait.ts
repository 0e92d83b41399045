/** `GET wait-token`: the client waits until its person has completed the login (contract/bakery.md 3.4). */
import { encodeBase64 } from '@ratafia/macaroon'
import { networksOf } from '../../addresses/address.ts'
import { invalidRequest, RequestError, unauthorized } from '../../errors.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import type { CompletedLogin } from './completed-login-store.ts'
import { LOGIN_TOKEN_KIND, LOGIN_TOKEN_MS, sealLoginToken } from './login-token.ts'
import { openFor, type Sealed, toBytes } from './sealed-texts.ts'

/** How long the client can fetch a completed login, again and again: an answer may get lost. */
export const FETCH_MS = 60_000

export interface WaitInput {
  /** From the `WaitTokenURL`. */
  readonly did: string
  /** The client's. */
  readonly address: string
  /** Milliseconds. */
  readonly patience: number
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal
  /** Called when the client has a place among those that wait. */
  readonly onPlace?: () => void
}

export interface WaitResult {
  readonly kind: string
  /**
   * Padded base64 of the standard alphabet: Python clients decode nothing else. There is no plain `token` beside it,
   * because they would take that and fail: py-macaroon-bakery forwards text as if it were bytes.
   */
  readonly token64: string
}

/** The login is not completed yet, and the wait was long enough. Asking again continues it. */
export class StillWaiting extends Error {
  override readonly name = 'StillWaiting'

  constructor() {
    super('Nobody has confirmed this login so far. Ask again to go on waiting.')
  }
}

/**
 * `undefined` when the client is gone. Gives the same answer for a minute after the completion, because an answer may
 * get lost. Throws `invalid-request` (a text we did not make), a 401 (refused, expired), `service-unavailable`
 * (stopping, or too many clients wait) and {@link StillWaiting}.
 */
export async function waitForLogin(
  input: WaitInput,
  deps: IdentityDependencies,
): Promise<WaitResult | undefined> {
  const wait = await openFor('wait', input.did, deps.keyring)
  if (!wait) throw invalidRequest('The "did" is not from this identity service. Discharge again.')
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
        'This identity service is stopping. Ask again in a moment.',
      )
    case 'full':
      throw new RequestError('service-unavailable', 'Too many clients are waiting. Ask again in a moment.')
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
    throw unauthorized('The login was refused in the browser.')
  }
  if (clock().getTime() >= completedAt.getTime() + FETCH_MS) throw expired()
  // Counted from the completion.
  const expires = completedAt.getTime() + LOGIN_TOKEN_MS
  const token = await sealLoginToken(
    { login, caveat, account: accountId, expires, seen, signedInAt: signedInAt.getTime() },
    keyring,
  )
  return { kind: LOGIN_TOKEN_KIND, token64: encodeBase64(Buffer.from(token, 'ascii')) }
}

const expired = () => unauthorized('This login has expired. Log in again.')
