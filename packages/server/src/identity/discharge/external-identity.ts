/**
 * Fetches the key of an external identity service (Candid, or another Ratafia) and keeps it for five minutes,
 * so that a rotated key is noticed (contract/bakery.md 3.1, 3.8, 7.12).
 */
import { BakeryError, decodePublicKey } from '@ratafia/macaroon/bakery'
import { boundedBody } from '../../bounded-body.ts'
import type { Clock } from '../../clock.ts'
import { Unavailable } from '../../errors.ts'
import { textOr } from '../../files/foreign-text.ts'
import { documentIn, isObject, type JsonObject } from '../../foreign-json.ts'
import {
  type IdentityService,
  type PasswordLogins,
  type ThirdParty,
  withoutSlash,
} from '../../third-party/identity-service.ts'

/** The used part of the platform's `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ExternalIdentityOptions {
  /** Its location: an https URL, or http on a loopback address. */
  readonly url: string
  /**
   * Used instead of the key that the service reports. A service that rotates its key still opens caveats sealed to the
   * old one. Everything else comes from the service, and logins work while it cannot be reached.
   */
  readonly pinnedPublicKey?: Uint8Array | undefined
  /** The settings of password logins, which only another Ratafia supports. Default: allowed. */
  readonly passwords?: PasswordLogins
  readonly fetch: Fetch
  readonly clock: Clock
}

const FRESH_MS = 5 * 60_000
/** How long the last answer is used while the service cannot be reached. */
const STALE_MS = 60 * 60_000
/** How long the service is not asked again after a failure. */
const PAUSE_MS = 5_000
const TIMEOUT_MS = 5_000
const MAX_BODY_BYTES = 16 * 1024

/** Returns the service. Throws `TypeError` for a URL that is neither https nor on a loopback address. */
export function externalIdentity({
  url,
  pinnedPublicKey,
  passwords = { passwordLogins: true, loginHost: undefined },
  fetch,
  clock,
}: ExternalIdentityOptions): IdentityService {
  const location = withoutSlash(url)
  requireSafe(location)
  const { loginHost = new URL(location).host } = passwords
  let known: { readonly party: ThirdParty; readonly at: number } | undefined
  let failure: { readonly error: Unavailable; readonly at: number } | undefined
  let running: Promise<void> | undefined

  const refresh = async (): Promise<void> => {
    try {
      const found = await fetchInfo(location, fetch)
      const passwordLogins = found.passwordLogins && passwords.passwordLogins
      const party = { ...found, publicKey: pinnedPublicKey ?? found.publicKey, passwordLogins, loginHost }
      known = { party, at: clock().getTime() }
      failure = undefined
    } catch (error) {
      const cause =
        error instanceof Unavailable ? error : unavailable(location, 'it cannot be reached', error)
      failure = { error: cause, at: clock().getTime() }
    }
  }

  return async () => {
    // An answer must not be kept for longer if the clock is set back.
    const since = (at: number) => Math.abs(clock().getTime() - at)
    const age = () => (known ? since(known.at) : Number.POSITIVE_INFINITY)
    const paused = () => failure !== undefined && since(failure.at) < PAUSE_MS
    if (age() >= FRESH_MS && !paused()) {
      // Simultaneous requests wait for the same answer.
      running ??= refresh().finally(() => {
        running = undefined
      })
      await running
    }
    if (known && age() < STALE_MS) return known.party
    // Every discharger in use opens version 2. Only optional features are lost.
    if (pinnedPublicKey) {
      const unknown = { acceptsSummary: false, passwordLogins: false, declaresSignIn: false }
      return { location, publicKey: pinnedPublicKey, version: 2, ...unknown, loginHost }
    }
    throw failure?.error ?? unavailable(location, 'it cannot be reached')
  }
}

async function fetchInfo(location: string, fetch: Fetch): Promise<Omit<ThirdParty, 'loginHost'>> {
  const info = await fetchJson(`${location}/discharge/info`, fetch)
  // Dischargers of bakery version 1 have only the older path (contract/bakery.md 3.1).
  const body = info ?? (await fetchJson(`${location}/publickey`, fetch))
  if (body === undefined) throw unavailable(location, 'it has neither /discharge/info nor /publickey')
  const {
    PublicKey: key,
    Version: version,
    RequestSummary: summary,
    PasswordLogins: passwords,
    Login: login,
  } = body
  return {
    location,
    publicKey: publicKeyOf(key, location),
    version: info === undefined ? 1 : versionOf(version, location),
    acceptsSummary: info !== undefined && summary === true,
    passwordLogins: info !== undefined && passwords === true,
    declaresSignIn: info !== undefined && login === true,
  }
}

/** Returns the JSON object at the URL; `undefined` for a 404. */
async function fetchJson(url: string, fetch: Fetch): Promise<JsonObject | undefined> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    // Never follow redirects: the key must come from the configured URL.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (response.status === 404) {
    await response.body?.cancel()
    return undefined
  }
  if (response.status !== 200) {
    await response.body?.cancel()
    throw unavailable(url, `it answered with status ${response.status}`)
  }
  const value = documentIn(await boundedText(response, url))
  if (value === undefined) throw unavailable(url, 'its answer is not JSON')
  if (!isObject(value)) throw unavailable(url, 'its answer is not a JSON object')
  return value
}

async function boundedText(response: Response, url: string): Promise<string> {
  const body = await boundedBody(response.body, MAX_BODY_BYTES)
  if (body === undefined) throw unavailable(url, `its answer has more than ${MAX_BODY_BYTES} bytes`)
  return textOr(body, () => unavailable(url, 'its answer is not UTF-8'))
}

function publicKeyOf(text: unknown, location: string): Uint8Array {
  try {
    if (typeof text === 'string') return decodePublicKey(text)
  } catch (error) {
    if (!(error instanceof BakeryError)) throw error
  }
  throw unavailable(location, 'its public key is not a usable Curve25519 key of 32 bytes in base64')
}

function versionOf(version: unknown, location: string): 1 | 2 | 3 {
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 0) {
    throw unavailable(location, 'its bakery version is not a number')
  }
  // Newer dischargers also open older ids.
  return version >= 3 ? 3 : version === 2 ? 2 : 1
}

/**
 * Throws unless the URL is safe. Over plain HTTP, an attacker on the network could send their own key and log
 * in as any user.
 */
function requireSafe(location: string): void {
  const { protocol, hostname, username, search, hash } = new URL(location)
  const loopback = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && loopback)) {
    throw new TypeError(
      `The identity service ${location} must have an https URL (http only on this machine).`,
    )
  }
  if (username !== '' || search !== '' || hash !== '') {
    throw new TypeError(`The URL of the identity service has a user, query or fragment: ${location}`)
  }
}

const unavailable = (where: string, why: string, cause?: unknown): Unavailable =>
  new Unavailable(`The identity service at ${where} cannot be used: ${why}.`, { cause })
