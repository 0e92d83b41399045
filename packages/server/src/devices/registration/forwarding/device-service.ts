/**
 * Chooses the destination of a registration that names another device service, as snapd behind a store proxy
 * does with `X-Snap-Device-Service-URL` (contract/devices.md 1.4, decision 14).
 */
import { RequestError } from '../../../errors.ts'

/** `url` is the operator's text, never the client's, and has a slash at the end. */
export type Destination = { readonly at: 'here' } | { readonly at: 'elsewhere'; readonly url: string }

export interface DeviceServices {
  /** This service's URL. It handles every address below it. */
  readonly baseUrl: string
  /** The other services to forward to. Each has a slash at the end. */
  readonly allowed: readonly string[]
}

/**
 * Reads the header and returns the destination: `here` without a header. Throws {@link RequestError}
 * `device-service-not-allowed` for an address that is neither below the base URL nor equal to an allowed one
 * in scheme, host, port and path.
 */
export function destinationOf(header: string | undefined, { baseUrl, allowed }: DeviceServices): Destination {
  if (header === undefined) return { at: 'here' }
  const asked = parse(header)
  if (asked?.startsWith(`${new URL(baseUrl).href.replace(/\/$/, '')}/`)) return { at: 'here' }
  const url = allowed.find((one) => new URL(one).href === asked)
  if (url !== undefined) return { at: 'elsewhere', url }
  throw new RequestError(
    'device-service-not-allowed',
    `X-Snap-Device-Service-URL names ${asked ? shown(asked) : 'no plain http or https address'}, and this service does not forward registrations there. Ask its operator to allow it.`,
  )
}

/**
 * Normalises an address for comparison, with the slash at the end that snapd adds. Returns undefined for
 * anything but a plain address: forms that URL parsers disagree about (backslashes, spaces, credentials,
 * several in one) are refused here.
 */
function parse(text: string): string | undefined {
  if (text.length > MAX_LENGTH || !/^https?:\/\/[^/\\@?#,\s][!-~]*$/i.test(text) || /[\\@?#,]/.test(text)) {
    return undefined
  }
  if (!URL.canParse(text)) return undefined
  const { href } = new URL(text)
  return href.endsWith('/') ? href : `${href}/`
}

const MAX_LENGTH = 2048

/** Shortens the address to fit a line in `snap changes`. */
const shown = (url: string): string => (url.length > 128 ? `${url.slice(0, 128)}…` : url)
