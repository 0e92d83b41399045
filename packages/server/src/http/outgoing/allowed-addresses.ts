/** Which hosts a document of an issuer may come from (contract/oidc.md, A19). */
import { isIP } from 'node:net'
import {
  type AddressClass,
  classOf,
  hostIn,
  isInNetworks,
  isLoopbackHost,
} from '../../addresses/address-classes.ts'
import { invalidField, quote, type RequestError } from '../../errors.ts'

/** For whom a document is fetched. */
export interface DocumentSource {
  /** The URL that an operator configured. */
  readonly issuer: string
  /** Networks that are not public, but allowed for this issuer. */
  readonly privateAddresses: readonly string[]
}

export interface Target {
  readonly url: URL
  /** A name, or an address as `node:net` takes it. */
  readonly host: string
  readonly port: number
  readonly secure: boolean
  /** It is this machine: the operator gave a loopback address. */
  readonly loopback: boolean
}

/**
 * Checks what can be checked before any name is looked up. That includes addresses, in every spelling that `URL` reads
 * (`0x7f.1`, `2130706433`): `node:net` looks up only names. Throws {@link RequestError} `invalid-field`.
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
  if (url.username !== '' || url.password !== '') throw refused(text, 'it has a user')
  if (isIP(host) !== 0 && !loopback) {
    const refusal = addressRefusal(host, host, from)
    if (refusal) throw refusal
  }
  return { url, host, port: Number(url.port) || (secure ? 443 : 80), secure, loopback }
}

/** Why nothing may connect to this address of a host; undefined if it may. */
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
  private: 'a private address. If the issuer may be there, allow its network with --private-address.',
  loopback:
    'a loopback address. Only an issuer whose own URL has such an address, such as http://127.0.0.1:8080, may be there.',
  'link-local': 'a link-local address, which no issuer may be at.',
  reserved: 'not the address of a host.',
}

const refused = (text: string, why: string): RequestError =>
  invalidField(`${quote(text)} is not fetched: ${why}.`)
