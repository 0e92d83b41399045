/**
 * The URLs that a browser can be sent back to with a code. The server there learns who the user is and can
 * complete the login, so only URLs that the operator has configured are allowed.
 */
import { hostIn, isLoopbackHost } from '../../addresses/address-classes.ts'
import { invalidRequest } from '../../errors.ts'

export interface ReturnPlaces {
  /** The exact URL of the console of the service that this identity service is part of. */
  readonly console: string | undefined
  /** Other URLs. One that ends in `/` allows everything below it, any other only itself. */
  readonly others: readonly string[]
}

/**
 * The length limit of `return_to`. It allows for the addresses of programs, and the complete URL must not be too long.
 */
const MOST = 1_024

/** The parameters that this service adds, which the given URL must not have. */
const OURS = ['code', 'state', 'error', 'error_code'] as const

/** Checks a URL to return to. Throws `invalid-request`. The browser is later sent to exactly this text. */
export function checkReturnTo(
  text: string,
  { console, others }: ReturnPlaces,
): { readonly isConsole: boolean } {
  if (text === console) return { isConsole: true }
  const url = parsed(text)
  if (!url || !others.some((place) => isWithin(url, new URL(place)))) {
    throw invalidRequest(
      'This identity service does not send browsers back to the address in "return_to". Its operator can allow addresses ' +
        'with RATAFIA_IDENTITY_RETURN_TO. Tell the operator of the site that sent you here.',
    )
  }
  return { isConsole: false }
}

function parsed(text: string): URL | undefined {
  if (text.length > MOST || !URL.canParse(text)) return undefined
  const url = new URL(text)
  // The next program could read a different spelling as a different address.
  if (url.href !== text) return undefined
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url))) return undefined
  if (url.username !== '' || url.password !== '' || text.includes('#')) return undefined
  // Some servers decode these, and get a different path.
  if (/%(?:2e|2f|5c|00)|\/\/|\\/i.test(url.pathname)) return undefined
  return OURS.some((name) => url.searchParams.has(name)) ? undefined : url
}

const isThisMachine = (url: URL): boolean => url.hostname === 'localhost' || isLoopbackHost(hostIn(url))

const isWithin = (url: URL, place: URL): boolean =>
  url.origin === place.origin &&
  (place.pathname.endsWith('/') ? url.pathname.startsWith(place.pathname) : url.pathname === place.pathname)

/** Returns the URL with our parameters after the site's own. */
export function returning(returnTo: string, parameters: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null)
  return `${returnTo}${returnTo.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}
