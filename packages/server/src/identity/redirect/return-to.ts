/**
 * Where a browser may be sent back with a code. Whoever serves the address gets to know who somebody is, and can finish
 * the login, so only addresses that the operator named count.
 */
import { hostIn, isLoopbackHost } from '../../addresses/address-classes.ts'
import { invalidRequest } from '../../errors.ts'

export interface ReturnPlaces {
  /** The console of the service that this identity service is part of: that address alone. */
  readonly console: string | undefined
  /** URLs. One that ends in `/` stands for everything below it, any other for itself alone. */
  readonly others: readonly string[]
}

/** For programs that build their own address into the login; together with the rest it must fit into a URL. */
const MOST = 1_024

/** What we add, and what nobody may have added before. */
const OURS = ['code', 'state', 'error', 'error_code'] as const

/** Throws `invalid-request`. The result is the very text that was given: what was checked is where the browser goes. */
export function checkReturnTo(
  text: string,
  { console, others }: ReturnPlaces,
): { readonly isConsole: boolean } {
  if (text === console) return { isConsole: true }
  const url = parsed(text)
  if (!url || !others.some((place) => isWithin(url, new URL(place)))) {
    throw invalidRequest(
      'This identity service sends nobody back to the address that the login names ("return_to"). Its operator allows ' +
        'addresses with RATAFIA_IDENTITY_RETURN_TO. Tell whoever runs the site that sent you here.',
    )
  }
  return { isConsole: false }
}

function parsed(text: string): URL | undefined {
  if (text.length > MOST || !URL.canParse(text)) return undefined
  const url = new URL(text)
  // In any other spelling, what reads it next may understand another address.
  if (url.href !== text) return undefined
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url))) return undefined
  if (url.username !== '' || url.password !== '' || text.includes('#')) return undefined
  // Some servers decode these, and find another path.
  if (/%(?:2e|2f|5c|00)|\/\/|\\/i.test(url.pathname)) return undefined
  return OURS.some((name) => url.searchParams.has(name)) ? undefined : url
}

const isThisMachine = (url: URL): boolean => url.hostname === 'localhost' || isLoopbackHost(hostIn(url))

const isWithin = (url: URL, place: URL): boolean =>
  url.origin === place.origin &&
  (place.pathname.endsWith('/') ? url.pathname.startsWith(place.pathname) : url.pathname === place.pathname)

/** With parameters of ours behind those that the site put there. */
export function returning(returnTo: string, parameters: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null)
  return `${returnTo}${returnTo.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}
