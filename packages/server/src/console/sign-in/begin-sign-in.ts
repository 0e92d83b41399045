/** Begins a sign-in: creates a root macaroon for this browser, and the URL where the user proves who they are. */
import { decodeJson } from '@ratafia/macaroon'
import { createManagementRoot } from '../../management/tokens/create-root.ts'
import { randomId } from '../../random.ts'
import { CONSOLE_START, consolePath, returnUrl } from './console-path.ts'
import type { SignInDependencies } from './dependencies.ts'
import { identityClient, needOf } from './identity-client.ts'
import { sealPending } from './pending-sign-in.ts'

// The list of a user's sessions names a browser by two words from its user agent.

/** The order matters: Edge and Opera also call themselves Chrome, and Chrome calls itself Safari. */
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

/** Longer than the user agent of any browser. */
const LOOKED_AT = 512

/** Returns a description such as `console, Firefox on Linux`. Never copies a part of the user agent. */
export function describeBrowser(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, LOOKED_AT)
  const found = (names: typeof BROWSERS) => names.find(([, sign]) => sign.test(text))?.[0]
  const [browser, system] = [found(BROWSERS), found(SYSTEMS)]
  const words = [browser, system && (browser ? `on ${system}` : system)].filter(Boolean).join(' ')
  return words === '' ? 'console' : `console, ${words}`
}

/** How long a browser stays signed in to the console (B7). */
const SESSION_S = 12 * 60 * 60
/** How long users have to sign in, as at the identity service. */
export const PENDING_MS = 30 * 60_000
/** The path has to fit into a cookie, together with the root macaroon and the other sealed fields. */
const MOST_KEPT_ADDRESS = 600

export interface BeginSignIn {
  /** The requested path; anything but a console page becomes its first page. */
  readonly to: string | undefined
  /** Whether the user has to sign in now, even if they are signed in already. */
  readonly recent: boolean
  /** The form that requires it: see `request-summary.ts`. Undefined for another page. */
  readonly confirms: string | undefined
  /** The name of the cookie with the secret of a form that was kept. */
  readonly kept: string | undefined
  readonly userAgent: string | undefined
  /** The network address of the browser. */
  readonly address: string
}

export interface BegunSignIn {
  /** The URL that the browser is sent to. */
  readonly loginUrl: string
  /** Names the cookie, so that two tabs do not use each other's. */
  readonly state: string
  /** The content of the cookie. */
  readonly sealed: string
}

/** Begins a sign-in, without writing to the database. Throws {@link IdentityTrouble} and `Unavailable`. */
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

/** Drops the filters of a long URL. */
function shortened(path: string = CONSOLE_START): string {
  if (path.length <= MOST_KEPT_ADDRESS) return path
  const [page = ''] = path.split('?', 1)
  return page.length <= MOST_KEPT_ADDRESS ? page : CONSOLE_START
}

/** Adds the parameters to those that the URL has, as Candid's clients do. */
const withReturn = (loginUrl: string, baseUrl: string, state: string): string =>
  `${loginUrl}${loginUrl.includes('?') ? '&' : '?'}${new URLSearchParams({ return_to: returnUrl(baseUrl), state })}`
