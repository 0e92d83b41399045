/**
 * Where a registration goes that names another device service, as snapd behind a store proxy does with
 * `X-Snap-Device-Service-URL` (contract/devices.md 1.4, decision 14).
 */
import { RequestError } from '../../../errors.ts'

/** `url` is the operator's own text, never the client's, and ends with a slash. */
export type Destination = { readonly at: 'here' } | { readonly at: 'elsewhere'; readonly url: string }

export interface DeviceServices {
  /** Of this service; what stands under it is handled here. */
  readonly baseUrl: string
  /** To which others may be forwarded. Each ends with a slash. */
  readonly allowed: readonly string[]
}

/**
 * Reads the header. Without one it is `here`. Throws {@link RequestError} `device-service-not-allowed` for what is
 * neither under the base URL nor one of the allowed, with scheme, host, port and path all the same.
 */
export function destinationOf(header: string | undefined, { baseUrl, allowed }: DeviceServices): Destination {
  if (header === undefined) return { at: 'here' }
  const asked = parse(header)
  if (asked?.startsWith(`${new URL(baseUrl).href.replace(/\/$/, '')}/`)) return { at: 'here' }
  const url = allowed.find((one) => new URL(one).href === asked)
  if (url !== undefined) return { at: 'elsewhere', url }
  throw new RequestError(
    'device-service-not-allowed',
    `X-Snap-Device-Service-URL names ${asked ? shown(asked) : 'no plain http or https address'}, and this service forwards no registration there. Its operator has to allow it.`,
  )
}

/**
 * As it is compared: normalised, and with the slash at the end that snapd adds. Undefined for what is no plain address:
 * nothing that readers of addresses differ about (backslashes, spaces, credentials, several in one) gets further.
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

/** In a line that ends in `snap changes`. */
const shown = (url: string): string => (url.length > 128 ? `${url.slice(0, 128)}…` : url)
