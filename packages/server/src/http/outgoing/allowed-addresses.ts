/** The hosts that an issuer's documents can be fetched from (contract/oidc.md, A19). */
import { isIP } from 'node:net'
import {
  type AddressClass,
  classOf,
  hostIn,
  isInNetworks,
  isLoopbackHost,
} from '../../addresses/address-classes.ts'
import { invalidField, quote, type RequestError } from '../../errors.ts'

/** The issuer whose document is fetched. */
export interface DocumentSource {
  /** The URL that an operator configured. */
  readonly issuer: string
  /** Networks that are not public, but that are allowed for this issuer. */
  readonly privateAddresses: readonly string[]
}

export interface Target {
  readonly url: URL
  /** A name, or an address that `node:net` accepts. */
  readonly host: string
  readonly port: number
  readonly secure: boolean
  /** Whether it is this machine, because the operator gave a loopback address. */
  readonly loopback: boolean
}

/**
 * Checks everything that can be checked before a name is looked up. That includes addresses, in every
 * spelling that `URL` reads (`0x7f.1`, `2130706433`), because `node:net` looks up only names. Throws {@link
 * RequestError} `invalid-field`.
 */
export function targetOf(text: string, from: DocumentSource): Target {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const secure = url?.protocol === 'https:'
  if (!url || (!secure && url.protocol !== 'http:')) throw refused(text, 'it is not an https URL')
  const host = hostIn(url)
  const loopback = isLoopbackHost(host) && isLoopbackHost(hostIn(new URL(from.issuer)))
  if (!secure && !loopback) {
    throw refused(
      text,
      'http is used only for an issuer whose own URL has a loopback address, such as 127.0.0.1',
    )
  }
  if (url.username !== '' || url.password !== '') throw refused(text, 'it contains a username or password')
  if (isIP(host) !== 0 && !loopback) {
    const refusal = addressRefusal(host, host, from)
    if (refusal) throw refusal
  }
  return { url, host, port: Number(url.port) || (secure ? 443 : 80), secure, loopback }
}

/** Returns why connecting to this address of a host is not allowed; undefined if it is. */
export function addressRefusal(
  host: string,
  address: string,
  { privateAddresses }: DocumentSource,
): RequestError | undefined {
  const found = classOf(address)
  if (found === 'public' || (found === 'private' && isInNetworks(address, privateAddresses))) return undefined
  const at = host === address ? address : `${quote(host)} is at ${quote(address)}, which`
  return invalidField(`${at} is ${WORDS[found]}`)
}

const WORDS: Readonly<Record<Exclude<AddressClass, 'public'>, string>> = {
  private: 'a private address. If the issuer is there, allow its network with --private-address.',
  loopback:
    'a loopback address. Only an issuer whose own URL has such an address, such as http://127.0.0.1:8080, can be there.',
  'link-local': 'a link-local address, which is not allowed for an issuer.',
  reserved: 'not the address of a host.',
}

const refused = (text: string, why: string): RequestError =>
  invalidField(`${quote(text)} is not fetched: ${why}.`)
