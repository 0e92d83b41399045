/** Network addresses as counters and people see them. */
import { isIP, isIPv4, isIPv6 } from 'node:net'

/** What is no address: all of it is counted as one, so that nobody is counted anew by writing something else. */
const NO_ADDRESS = 'unknown'

/** More than any address has, with a port. */
const MAX_ADDRESS = 64

/**
 * Of whoever sent a request: an address, or `unknown`. Its connection may be gone already, and then nobody knows any
 * more. A proxy may pass on what is no address: whatever a client wrote there is neither logged, nor stored, nor shown.
 */
export function addressOf({ ip = '' }: { readonly ip: string | undefined }): string {
  const plain = plainAddress(ip.slice(0, MAX_ADDRESS))
  return isIP(plain) === 0 ? NO_ADDRESS : plain
}

/**
 * `::ffff:192.0.2.1`, as a socket that takes both families calls IPv4, is `192.0.2.1`. A zone (`%eth0`) is dropped, and
 * so is a port: some proxies write one into `X-Forwarded-For`, and it differs from connection to connection.
 */
export function plainAddress(address: string): string {
  const [, inBrackets, , before] = WITH_PORT.exec(address) ?? []
  const [bare = ''] = (inBrackets ?? before ?? address).split('%', 1)
  const groups = /ffff:/i.test(bare) ? groupsOf(bare) : undefined
  if (groups?.slice(0, 6).join(':') !== MAPPED) return bare
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((number) => [number >> 8, number & 255])
    .join('.')
}

const WITH_PORT = /^(?:\[([^\]]*)\](:\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/
const MAPPED = '0:0:0:0:0:ffff'

/** One counter for a whole IPv6 /64, because one customer has at least that much; IPv4 by address. */
export function addressKey(address: string): string {
  const plain = plainAddress(address)
  if (isIPv4(plain)) return plain
  const groups = groupsOf(plain)
  return groups ? `${groups.slice(0, 4).join(':')}::/64` : NO_ADDRESS
}

/** What one organisation often has as a whole: an IPv4 /24, an IPv6 /48. */
export function networkKey(address: string): string {
  const plain = plainAddress(address)
  if (isIPv4(plain)) return `${plain.split('.').slice(0, 3).join('.')}.0/24`
  const groups = groupsOf(plain)
  return groups ? `${groups.slice(0, 3).join(':')}::/48` : NO_ADDRESS
}

/** The eight of an IPv6 address; undefined where it is none. */
function groupsOf(plain: string): readonly string[] | undefined {
  if (!isIPv6(plain)) return undefined
  // The URL parser gives the one canonical text, in which `::` stands for the zeros that are left out.
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => '0')
  return [...start, ...zeros, ...end]
}

/** Whether a person at one address and a program at the other may well be on one machine or in one network. */
export const sameNetwork = (a: string, b: string): boolean =>
  addressKey(a) === addressKey(b) || (isLoopback(a) && isLoopback(b))

/** One machine reaches itself by either family. */
const isLoopback = (address: string): boolean => /^(127\..*|::1)$/.test(plainAddress(address))
