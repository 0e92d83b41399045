/**
 * A sign-in that began in this browser, sealed into a cookie until the browser comes back. Nothing is stored before
 * users have proved who they are, and another browser does not have this cookie.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Macaroon } from '@ratafia/macaroon'
import { decodeBinary, encodeBinary } from '@ratafia/macaroon'
import { objectIn } from '../../foreign-json.ts'
import type { SignInDependencies } from './dependencies.ts'

export interface PendingSignIn {
  readonly root: Macaroon
  /** The state that the browser brings back. */
  readonly state: string
  /** The URL that exchanges the code for a token. */
  readonly tokenUrl: string
  /** The path that the browser finally returns to: see `console-path.ts`. */
  readonly to: string
  /** Whether it is for an action that requires a recent sign-in. */
  readonly recent: boolean
  /** The name of the cookie with the secret of a form that was kept. */
  readonly kept: string | undefined
  /** When it expires, in milliseconds. */
  readonly expires: number
}

const PURPOSE = 'console sign-in'

/** Seals a line of JSON, followed by the root macaroon as bytes, because in JSON it would be a third longer. */
export function sealPending(
  { root, ...rest }: PendingSignIn,
  { keyring }: Pick<SignInDependencies, 'keyring'>,
): Promise<string> {
  const head = Buffer.from(`${JSON.stringify(rest)}\n`)
  return keyring.sealText(PURPOSE, Buffer.concat([head, encodeBinary(root)]))
}

/** Returns the sign-in; undefined unless it began in this browser with this state, and has not expired. */
export async function pendingSignIn(
  { sealed, state }: { readonly sealed: string | undefined; readonly state: string },
  deps: Pick<SignInDependencies, 'keyring' | 'clock'>,
): Promise<PendingSignIn | undefined> {
  const pending = sealed === undefined ? undefined : await opened(sealed, deps)
  if (!pending || !isSame(pending.state, state)) return undefined
  return deps.clock().getTime() < pending.expires ? pending : undefined
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Returns the content; undefined unless this service sealed it. */
async function opened(
  text: string,
  { keyring }: Pick<SignInDependencies, 'keyring'>,
): Promise<PendingSignIn | undefined> {
  const content = await keyring.openText(PURPOSE, text)
  if (content === undefined) return undefined
  const bytes = Buffer.from(content)
  const end = bytes.indexOf('\n')
  const { state, tokenUrl, to, recent, kept, expires } = objectIn(bytes.toString('utf8', 0, end)) ?? {}
  const [root] = decodeBinary(bytes.subarray(end + 1))
  // A node of a different release may have sealed it in a different shape.
  if (
    root === undefined ||
    typeof state !== 'string' ||
    typeof tokenUrl !== 'string' ||
    typeof to !== 'string' ||
    typeof recent !== 'boolean' ||
    typeof expires !== 'number' ||
    !(kept === undefined || typeof kept === 'string')
  ) {
    return undefined
  }
  return { root, state, tokenUrl, to, recent, kept, expires }
}
