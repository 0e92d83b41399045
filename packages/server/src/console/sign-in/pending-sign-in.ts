/**
 * A sign-in that began in this browser: what it needs once the browser comes back, sealed into a cookie. Nothing is
 * stored before somebody has proved who they are, and whoever comes back in another browser has not this cookie.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Macaroon } from '@ratafia/macaroon'
import { decodeBinary, encodeBinary } from '@ratafia/macaroon'
import { objectIn } from '../../foreign-json.ts'
import type { SignInDependencies } from './dependencies.ts'

export interface PendingSignIn {
  readonly root: Macaroon
  /** Comes back with the browser. */
  readonly state: string
  /** Where the code becomes a token. */
  readonly tokenUrl: string
  /** Where the browser goes in the end: see `console-path.ts`. */
  readonly to: string
  /** Whether it is for what takes a sign-in of a short while ago. */
  readonly recent: boolean
  /** The name of the cookie with the secret of a form that was kept. */
  readonly kept: string | undefined
  /** In milliseconds. */
  readonly expires: number
}

const PURPOSE = 'console sign-in'

/** A line of JSON, and behind it the root as bytes: in JSON it would be a third longer. */
export function sealPending(
  { root, ...rest }: PendingSignIn,
  { keyring }: Pick<SignInDependencies, 'keyring'>,
): Promise<string> {
  const head = Buffer.from(`${JSON.stringify(rest)}\n`)
  return keyring.sealText(PURPOSE, Buffer.concat([head, encodeBinary(root)]))
}

/** Undefined unless the sign-in began in this browser with this state, and is not over. */
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

/** Undefined unless this service sealed it. */
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
  // A node of another release may have sealed it in another shape.
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
