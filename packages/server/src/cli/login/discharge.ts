/** A bakery client over HTTP: gets the discharge of a root macaroon from the identity service that its caveat names. */
import { encodeBase64, encodeBase64Url, MacaroonError, type UnverifiedSlice } from '@ratafia/macaroon'
import {
  BakeryError,
  type BakeryMacaroon,
  type DischargeNeed,
  decodeBakeryMacaroon,
  dischargeAll,
} from '@ratafia/macaroon/bakery'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import { type Answer, ask, isAddress, refusalIn, strangeAnswer } from './ask.ts'

/** The proof of a login for the identity service. */
export interface LoginToken {
  readonly kind: string
  /** The parameter in which the client returns it. */
  readonly parameter: 'token' | 'token64'
  readonly value: string
}

/** The identity service's offers, by method. */
type Offers = Readonly<Record<string, JsonObject>>

/** One method of logging in. `location`: the identity service's address, without a trailing slash. */
export type LogIn = (offers: Offers, location: string) => Promise<LoginToken>

/** Discharges the root that `POST /api/v2/tokens` at `url` returned. Throws the errors of `ask` and `logIn`. */
export async function dischargedRoot(macaroon: unknown, url: string, logIn: LogIn): Promise<UnverifiedSlice> {
  const root = readable(url, () => decodeBakeryMacaroon(JSON.parse(String(macaroon))))
  try {
    return await dischargeAll(root, (need) => dischargeOf(need, logIn))
  } catch (error) {
    if (!(error instanceof BakeryError || error instanceof MacaroonError)) throw error
    throw strangeAnswer(url, 'a macaroon that cannot be discharged', error)
  }
}

/** Reads foreign macaroons; a macaroon that cannot be read is an error of the service at `url`. */
export function readable<T>(url: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof BakeryError || error instanceof MacaroonError || error instanceof SyntaxError))
      throw error
    throw strangeAnswer(url, 'something other than a macaroon', error)
  }
}

async function dischargeOf(need: DischargeNeed, logIn: LogIn): Promise<BakeryMacaroon> {
  const location = need.location.replace(/\/+$/, '')
  if (!isAddress(location)) {
    throw new BakeryError('malformed', 'A caveat does not name the address that discharges it')
  }
  const first = await post(location, need, {})
  if (first.status === 200) return macaroonIn(first)
  const offers = offersIn(first)
  if (offers === undefined) throw refusalIn(first)
  const { kind, parameter, value } = await logIn(offers, location)
  return macaroonIn(await post(location, need, { 'token-kind': kind, [parameter]: value }))
}

const post = (location: string, { id, caveat }: DischargeNeed, token: Readonly<Record<string, string>>) =>
  ask(`${location}/discharge`, {
    method: 'POST',
    headers: { 'bakery-protocol-version': '3' },
    body: new URLSearchParams({
      id64: encodeBase64(id),
      ...(caveat && { caveat64: encodeBase64Url(caveat) }),
      ...token,
    }),
  })

function macaroonIn(answer: Answer): BakeryMacaroon {
  if (answer.status !== 200) throw refusalIn(answer)
  return readable(answer.url, () => decodeBakeryMacaroon(answer.body?.['Macaroon']))
}

/** Returns the offers, or undefined if the identity service refuses for a different reason than a missing login. */
function offersIn({ body }: Answer): Offers | undefined {
  const info = body?.['Code'] === 'interaction required' ? body['Info'] : undefined
  const methods = isObject(info) ? info['InteractionMethods'] : undefined
  if (!isObject(methods)) return undefined
  return Object.fromEntries(
    Object.entries(methods).filter((entry): entry is [string, JsonObject] => isObject(entry[1])),
  )
}
