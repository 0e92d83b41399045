/**
 * The console as a client of the identity service (contract/administration.md, B8). It uses the same protocol for the
 * bundled service, a standalone one, and Candid. The answers are hostile input: their size and time are bounded, and
 * redirects are not followed.
 */
import { decodeBase64, encodeBase64, encodeBase64Url, type Macaroon, MacaroonError } from '@ratafia/macaroon'
import {
  BakeryError,
  type BakeryMacaroon,
  type DischargeNeed,
  decodeBakeryMacaroon,
} from '@ratafia/macaroon/bakery'
import { boundedBody } from '../../bounded-body.ts'
import { quote, Unavailable, unauthorized } from '../../errors.ts'
import { isObject, type JsonObject, objectDocumentIn } from '../../foreign-json.ts'
import type { Fetch } from '../../identity/discharge/external-identity.ts'

/**
 * `away`: the service does not answer. `strange`: its answer is not one of an identity service. `no-redirect`: it
 * offers only other login methods.
 */
export type TroubleKind = 'away' | 'strange' | 'no-redirect'

/** No user can sign in at the moment. */
export class IdentityTrouble extends Unavailable {
  override readonly name = 'IdentityTrouble'
  readonly kind: TroubleKind

  constructor(kind: TroubleKind, location: string, why: string, cause?: unknown) {
    super(`The identity service at ${location} cannot be used to sign in: ${why}.`, { cause })
    this.kind = kind
  }
}

interface RedirectOffer {
  readonly loginUrl: string
  readonly tokenUrl: string
}

interface LoginToken {
  readonly kind: string
  readonly value: Uint8Array
}

export interface IdentityClient {
  /** Returns the URLs that a user logs in with for the caveat. Throws {@link IdentityTrouble}. */
  offer(need: DischargeNeed): Promise<RedirectOffer>
  /** Exchanges the code. Throws a 401 if it is refused, and {@link IdentityTrouble}. */
  token(tokenUrl: string, code: string): Promise<LoginToken>
  /** Returns the discharge. Throws a 401 if the token is refused, and {@link IdentityTrouble}. */
  discharge(need: DischargeNeed, token: LoginToken): Promise<BakeryMacaroon>
}

const TIMEOUT_MS = 5_000
/** Our largest answer has a macaroon of at most 48 KiB. */
const MOST_BYTES = 64 * 1024
/** These limits exist because the values travel in a cookie or in a URL. */
const MOST_LOGIN_URL = 4_096
const MOST_TOKEN_URL = 512
const MOST_KIND = 64

interface Answer {
  readonly status: number
  readonly body: JsonObject
}

export function identityClient(location: string, fetch: Fetch): IdentityClient {
  const { origin } = new URL(location)
  const strange = (why: string, cause?: unknown) => new IdentityTrouble('strange', location, why, cause)

  const ask = async (url: string, headers: Record<string, string>, sent: string): Promise<Answer> => {
    const { status, bytes } = await answered(url, headers, sent)
    if (status === 429 || status >= 500) {
      throw new IdentityTrouble('away', location, `it answers with status ${status}`)
    }
    if (status >= 300 && status < 400)
      throw strange(`it redirects (status ${status}), and redirects are not followed`)
    if (bytes === undefined) throw strange(`its answer has more than ${MOST_BYTES / 1024} KiB`)
    const body = objectDocumentIn(textOf(bytes) ?? '')
    if (!body) throw strange(`its answer with status ${status} is not a JSON object`)
    return { status, body }
  }

  const answered = async (url: string, headers: Record<string, string>, body: string) => {
    try {
      const response = await fetch(url, {
        ...{ method: 'POST', body, redirect: 'manual' },
        headers: { accept: 'application/json', 'bakery-protocol-version': '3', ...headers },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const { status } = response
      if (status === 429 || (status >= 300 && status < 400) || status >= 500) {
        await response.body?.cancel()
        return { status, bytes: undefined }
      }
      return { status, bytes: await boundedBody(response.body, MOST_BYTES) }
    } catch (error) {
      throw new IdentityTrouble('away', location, 'it does not answer, or not in time', error)
    }
  }

  const discharge = ({ id, caveat }: DischargeNeed, token?: LoginToken): Promise<Answer> =>
    ask(
      `${location}/discharge`,
      { 'content-type': 'application/x-www-form-urlencoded' },
      new URLSearchParams({
        id64: encodeBase64(id),
        ...(caveat && { caveat64: encodeBase64Url(caveat) }),
        ...(token && { 'token-kind': token.kind, token64: encodeBase64(token.value) }),
      }).toString(),
    )

  /** Reads a URL from the answer, which may be relative (contract/bakery.md 3.3). */
  const address = (value: unknown, most: number, what: string): URL => {
    const base = `${location}/`
    const url = typeof value === 'string' && URL.canParse(value, base) ? new URL(value, base) : undefined
    const isPlain = url?.username === '' && url.password === '' && url.hash === '' && url.href.length <= most
    if (!url || !isPlain || !/^https?:$/.test(url.protocol)) throw strange(`its answer has no usable ${what}`)
    return url
  }

  return {
    offer: async (need) => {
      const { status, body } = await discharge(need)
      const methods =
        status === 401 && isObject(body['Info']) ? body['Info']['InteractionMethods'] : undefined
      if (body['Code'] !== 'interaction required' || !isObject(methods)) {
        throw strange(`its answer with status ${status} does not explain how to log in`)
      }
      const offered = methods['browser-redirect']
      if (!isObject(offered)) {
        throw new IdentityTrouble('no-redirect', location, 'it does not offer "browser-redirect"')
      }
      const login = address(offered['LoginURL'], MOST_LOGIN_URL, 'LoginURL')
      if (login.origin !== origin && login.protocol !== 'https:') throw strange('its LoginURL is not https')
      const token = address(offered['DischargeTokenURL'], MOST_TOKEN_URL, 'DischargeTokenURL')
      // The code is sent to this URL, and no other host may get it.
      if (token.origin !== origin) throw strange('its DischargeTokenURL is at another host')
      return { loginUrl: login.href, tokenUrl: token.href }
    },

    token: async (tokenUrl, code) => {
      const answer = await ask(tokenUrl, { 'content-type': 'application/json' }, JSON.stringify({ code }))
      if (answer.status !== 200) throw refused(answer)
      const { kind, value, value64 } = isObject(answer.body['token']) ? answer.body['token'] : {}
      const bytes = base64(value64 ?? value)
      if (typeof kind !== 'string' || kind.length > MOST_KIND || bytes === undefined) {
        throw strange('it does not return a token for a code')
      }
      return { kind, value: bytes }
    },

    discharge: async (need, token) => {
      const answer = await discharge(need, token)
      if (answer.body['Code'] === 'interaction required') {
        throw strange('it asks for a different login than before')
      }
      if (answer.status !== 200) throw refused(answer)
      try {
        return decodeBakeryMacaroon(answer.body['Macaroon'])
      } catch (error) {
        if (!(error instanceof BakeryError || error instanceof MacaroonError)) throw error
        throw strange('its discharge is not a macaroon', error)
      }
    },
  }
}

/** Quotes the service's message as its own words. */
function refused({ body }: Answer) {
  const { Message: message } = body
  const said = typeof message === 'string' && message !== '' ? ` It says: ${quote(message)}` : ''
  return unauthorized(`The identity service refused this sign-in.${said}`)
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function base64(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  try {
    return decodeBase64(value)
  } catch (error) {
    if (!(error instanceof MacaroonError)) throw error
    return undefined
  }
}

/** Returns the caveat. Throws `TypeError` for a macaroon that is not a root macaroon of this service. */
export function needOf({ caveats }: Macaroon): DischargeNeed {
  const caveat = caveats.find(({ verificationId }) => verificationId !== undefined)
  if (!caveat) throw new TypeError('The root macaroon has no third-party caveat')
  // Our caveats have at most bakery version 2, so the id contains the whole caveat.
  return { id: caveat.id, location: caveat.location, caveat: undefined }
}
