/** Begins a sign-in: a root for this browser, and the address at which its person proves who they are. */
import { decodeJson } from '@ratafia/macaroon'
import { createManagementRoot } from '../../management/tokens/create-root.ts'
import { randomId } from '../../random.ts'
import { CONSOLE_START, consolePath, returnUrl } from './console-path.ts'
import type { SignInDependencies } from './dependencies.ts'
import { identityClient } from './identity-client.ts'
import { needOf } from './need.ts'
import { sealPending } from './pending-sign-in.ts'

/** What a browser is called in the list of one's sessions: two words out of a text that says much more. */

/** In their order: what comes later says that it is the former, too. */
const BROWSERS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|Opera)\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|Chromium)\//],
  ['Safari', /\bVersion\/[\d.]+.*\bSafari\//],
]

const SYSTEMS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows NT\b/],
  ['macOS', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
]

/** Longer than that of any browser. */
const LOOKED_AT = 512

/** Such as `console, Firefox on Linux`. Nothing of the text itself is taken over. */
export function describeBrowser(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, LOOKED_AT)
  const found = (names: typeof BROWSERS) => names.find(([, sign]) => sign.test(text))?.[0]
  const [browser, system] = [found(BROWSERS), found(SYSTEMS)]
  const words = [browser, system && (browser ? `on ${system}` : system)].filter(Boolean).join(' ')
  return words === '' ? 'console' : `console, ${words}`
}

/** How long a browser stays signed in to the console (B7). */
const SESSION_S = 12 * 60 * 60
/** How long a person has to sign in, as at the identity service. */
export const PENDING_MS = 30 * 60_000
/** With the root and what else is sealed, it has to fit into a cookie. */
const MOST_KEPT_ADDRESS = 600

export interface BeginSignIn {
  /** As it was asked for; anything but a page of the console becomes its first page. */
  readonly to: string | undefined
  /** Whether it takes a sign-in that is made now. */
  readonly recent: boolean
  /** Which form that is for: see `request-summary.ts`. Undefined for another page. */
  readonly confirms: string | undefined
  /** The name of the cookie with the secret of a form that was kept. */
  readonly kept: string | undefined
  readonly userAgent: string | undefined
  /** Of the browser. */
  readonly address: string
}

export interface BegunSignIn {
  /** Where the browser goes. */
  readonly loginUrl: string
  /** Names the cookie, so that two tabs do not take one another's. */
  readonly state: string
  /** The content of the cookie. */
  readonly sealed: string
}

/** Writes nothing. Throws {@link IdentityTrouble} and `Unavailable`. */
export async function beginSignIn(
  { to, recent, confirms, kept, userAgent, address }: BeginSignIn,
  deps: SignInDependencies,
): Promise<BegunSignIn> {
  const { macaroon } = await createManagementRoot(
    {
      lifetime: SESSION_S,
      description: describeBrowser(userAgent),
      ...(recent && { max_age: 0, confirms: confirms ?? '' }),
    },
    deps.management,
  )
  const root = decodeJson(JSON.parse(macaroon))
  const client = identityClient(deps.identity.location, deps.fetchFor(address))
  const { loginUrl, tokenUrl } = await client.offer(needOf(root))
  const state = Buffer.from(randomId(16)).toString('base64url')
  const expires = deps.clock().getTime() + PENDING_MS
  const pending = { root, state, tokenUrl, to: shortened(consolePath(to)), recent, kept, expires }
  return {
    loginUrl: withReturn(loginUrl, deps.baseUrl, state),
    state,
    sealed: await sealPending(pending, deps),
  }
}

/** A long address loses what was filtered for. */
function shortened(path: string = CONSOLE_START): string {
  if (path.length <= MOST_KEPT_ADDRESS) return path
  const [page = ''] = path.split('?', 1)
  return page.length <= MOST_KEPT_ADDRESS ? page : CONSOLE_START
}

/** Added to what the address has, as Candid's clients do. */
const withReturn = (loginUrl: string, baseUrl: string, state: string): string =>
  `${loginUrl}${loginUrl.includes('?') ? '&' : '?'}${new URLSearchParams({ return_to: returnUrl(baseUrl), state })}`
