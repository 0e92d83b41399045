/** `GET wait-token`: the client waits until its person has completed the login (contract/bakery.md 3.4). */
import { encodeBase64 } from '@ratafia/macaroon'
import { addressKey } from '../../address.ts'
import { FETCH_MS, type IdentityDependencies, LOGIN_TOKEN_MS } from '../dependencies.ts'
import { IdentityError, StillWaiting } from '../errors.ts'
import { LOGIN_TOKEN_KIND } from './browser-window.ts'
import type { CompletedLogin } from './completed-login-store.ts'
import { openFor, type Sealed, sealFor, toBytes } from './sealed-texts.ts'

export interface WaitInput {
  /** From the `WaitTokenURL`. */
  readonly did: string
  /** Of the client. */
  readonly address: string
  /** Milliseconds. */
  readonly patience: number
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
}

export interface WaitResult {
  readonly kind: string
  /**
   * Padded base64 of the standard alphabet, all that Python clients decode. A plain `token` beside it would be taken
   * by them, and they fail at it: py-macaroon-bakery sends on a text as if it were bytes.
   */
  readonly token64: string
}

/**
 * `undefined` when the client has gone. The same answer for a minute after the completion, because an answer may get
 * lost. Throws {@link IdentityError} `bad request` (no text of ours), `permission denied` (refused, expired) or
 * `service unavailable` (stopping, too many wait); {@link StillWaiting}.
 */
export async function waitForLogin(
  input: WaitInput,
  deps: IdentityDependencies,
): Promise<WaitResult | undefined> {
  const wait = await openFor('wait', input.did, deps.keyring)
  if (!wait)
    throw new IdentityError('bad request', 'The "did" is not one of this identity service. Discharge again.')
  const left = Math.max(0, wait.expires - deps.clock().getTime())
  const end = await deps.waiters.wait(toBytes(wait.login), {
    from: addressKey(input.address),
    milliseconds: Math.min(input.patience, left),
    signal: input.signal,
  })
  switch (end) {
    case 'left':
      return undefined
    case 'closing':
      throw new IdentityError(
        'service unavailable',
        'This identity service is stopping. Ask again in a moment.',
      )
    case 'full':
      throw new IdentityError('service unavailable', 'Too many clients are waiting. Ask again in a moment.')
    case 'timeout':
      if (deps.clock().getTime() < wait.expires) throw new StillWaiting()
      throw expired()
    default:
      return result(end, wait, deps)
  }
}

async function result(
  { decision, accountId, completedAt }: CompletedLogin,
  { login, caveat }: Sealed<'wait'>,
  { clock, keyring }: IdentityDependencies,
): Promise<WaitResult> {
  if (decision === 'denied') {
    throw new IdentityError('permission denied', 'The login was refused in the browser.')
  }
  if (clock().getTime() >= completedAt.getTime() + FETCH_MS) throw expired()
  const expires = completedAt.getTime() + LOGIN_TOKEN_MS
  const token = await sealFor('login-token', { login, caveat, account: accountId, expires }, keyring)
  return { kind: LOGIN_TOKEN_KIND, token64: encodeBase64(Buffer.from(token, 'ascii')) }
}

const expired = () => new IdentityError('permission denied', 'This login has expired. Log in again.')
