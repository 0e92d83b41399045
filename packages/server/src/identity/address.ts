/** Network addresses as counters and people see them. */
import { isIPv4, isIPv6 } from 'node:net'

/** More than any address has; a proxy may pass on what is none. */
const MAX_ADDRESS = 64

/** Of whoever sent a request. Its connection may be gone already, and then nobody knows any more. */
export const addressOf = (request: { readonly ip: string | undefined }): string =>
  plainAddress((request.ip ?? 'unknown').slice(0, MAX_ADDRESS))

/** `::ffff:192.0.2.1`, as a socket that takes both families calls IPv4, is `192.0.2.1`; a zone (`%eth0`) is dropped. */
export function plainAddress(address: string): string {
  const [bare = ''] = address.split('%', 1)
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1]
  return mapped ?? bare
}

/** One counter for a whole IPv6 /64, because one customer has at least that much; IPv4 by address. */
export function addressKey(address: string): string {
  const plain = plainAddress(address)
  if (isIPv4(plain)) return plain
  if (!isIPv6(plain)) return plain.slice(0, 64)
  // The URL parser gives the one canonical text, in which `::` stands for the zeros that are left out.
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => '0')
  return `${[...start, ...zeros, ...end].slice(0, 4).join(':')}::/64`
}

/** Whether a person at one address and a program at the other may well be on one machine or in one network. */
export const sameNetwork = (a: string, b: string): boolean =>
  addressKey(a) === addressKey(b) || (isLoopback(a) && isLoopback(b))

/** One machine reaches itself by either family. */
const isLoopback = (address: string): boolean => /^(127\..*|::1)$/.test(plainAddress(address))
