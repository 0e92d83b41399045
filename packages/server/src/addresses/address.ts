/** Network addresses, for counters and for people. */
import { isIP, isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The counter for everything that is not an address, so that inventing one does not create a new counter. */
const NO_ADDRESS = 'unknown'

/** The maximum number of characters that are parsed, more than any address with a port has. */
const MAX_ADDRESS = 64

/**
 * Returns the address a request came from. It is `unknown` if the connection is closed already, or if a proxy
 * forwards something else: such text from a client is not logged, stored or shown.
 */
export function addressOf({ ip = '' }: { readonly ip: string | undefined }): string {
  const plain = plainAddress(ip.slice(0, MAX_ADDRESS))
  return isIP(plain) === 0 ? NO_ADDRESS : plain
}

/**
 * Turns `::ffff:192.0.2.1`, a dual-stack socket's form of IPv4, into `192.0.2.1`. Drops a zone (`%eth0`) and
 * a port, which some proxies write into `X-Forwarded-For` and which changes with every connection.
 */
export function plainAddress(address: string): string {
  const [, inBrackets, , before] = WITH_PORT.exec(address) ?? []
  const [bare = ''] = (inBrackets ?? before ?? address).split('%', 1)
  const mapped = /ffff:/i.test(bare) ? parsedIPv6(bare) : undefined
  return mapped?.isIPv4MappedAddress() ? mapped.toIPv4Address().toString() : bare
}

const WITH_PORT = /^(?:\[([^\]]*)\](:\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/

/**
 * The networks that an address is in, narrowest first, as keys to count by: IPv4 by address, /24 and /16,
 * IPv6 by /64, /48 and /32. Every customer has their own narrowest network, an organisation often a middle
 * one, and a provider the widest. The holder of a network also has all the narrower ones in it.
 */
export type Networks = readonly [narrow: string, middle: string, wide: string]

/** Returns an address's networks. All text that is not an address is in one network of its own. */
export function networksOf(address: string): Networks {
  const plain = plainAddress(address)
  if (isIPv4(plain)) {
    const [a, b, c] = plain.split('.')
    return [plain, `${a}.${b}.${c}.0/24`, `${a}.${b}.0.0/16`]
  }
  const groups = parsedIPv6(plain)?.parts.map((group) => group.toString(16))
  if (!groups) return [NO_ADDRESS, NO_ADDRESS, NO_ADDRESS]
  const first = (count: number) => `${groups.slice(0, count).join(':')}::/${count * 16}`
  return [first(4), first(3), first(2)]
}

/**
 * Parses what {@link plainAddress} returned; undefined for a string that is not an address. Node decides
 * that, because ipaddr.js also accepts octal and hexadecimal numbers, and fewer than four of them.
 */
export const parsedAddress = (plain: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  isIPv4(plain) ? ipaddr.IPv4.parse(plain) : parsedIPv6(plain)

/**
 * Parses an IPv6 address; undefined for one with a zone. The URL parser rewrites an IPv4 part as IPv6,
 * because ipaddr.js treats `::192.0.2.1` as a mapped address, which it is not.
 */
export const parsedIPv6 = (plain: string): ipaddr.IPv6 | undefined =>
  isIPv6(plain) && !plain.includes('%')
    ? ipaddr.IPv6.parse(new URL(`http://[${plain}]`).hostname.slice(1, -1))
    : undefined

/**
 * Returns 32 hexadecimal digits that sort like the addresses: the address as IPv6, with IPv4 mapped.
 * Undefined for a string that is not an address.
 */
export function addressKey(address: string): string | undefined {
  const parsed = parsedAddress(plainAddress(address))
  return parsed && keyOf(parsed)
}

/** Does the same as {@link addressKey}, for a parsed address. */
export const keyOf = (parsed: ipaddr.IPv4 | ipaddr.IPv6): string =>
  Buffer.from(('octets' in parsed ? parsed.toIPv4MappedAddress() : parsed).toByteArray()).toString('hex')

/** Whether a person at one address and a program at the other can be on one machine or in one network. */
export const sameNetwork = (a: string, b: string): boolean =>
  networksOf(a)[0] === networksOf(b)[0] || (isLoopback(a) && isLoopback(b))

/** Whether an address is this machine, which reaches itself over IPv4 and IPv6. */
export const isLoopback = (address: string): boolean => /^(127\..*|::1)$/.test(plainAddress(address))
