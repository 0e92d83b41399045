/** Network addresses as counters and people see them. */
import { isIP, isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Everything that is not an address counts as this one, so that inventing one gives no new counter. */
const NO_ADDRESS = 'unknown'

/** Longer than any address with a port. */
const MAX_ADDRESS = 64

/**
 * The address a request came from, or `unknown`: its connection may be closed already, or a proxy may forward something
 * else. Such text from a client is not logged, stored or shown.
 */
export function addressOf({ ip = '' }: { readonly ip: string | undefined }): string {
  const plain = plainAddress(ip.slice(0, MAX_ADDRESS))
  return isIP(plain) === 0 ? NO_ADDRESS : plain
}

/**
 * Turns `::ffff:192.0.2.1`, a dual-stack socket's name for IPv4, into `192.0.2.1`. Drops a zone (`%eth0`) and a port:
 * some proxies write one into `X-Forwarded-For`, and it changes with every connection.
 */
export function plainAddress(address: string): string {
  const [, inBrackets, , before] = WITH_PORT.exec(address) ?? []
  const [bare = ''] = (inBrackets ?? before ?? address).split('%', 1)
  const mapped = /ffff:/i.test(bare) ? parsedIPv6(bare) : undefined
  return mapped?.isIPv4MappedAddress() ? mapped.toIPv4Address().toString() : bare
}

const WITH_PORT = /^(?:\[([^\]]*)\](:\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/

/**
 * The networks that an address is in, narrowest first, as keys to count by: IPv4 by address, /24 and /16, IPv6 by /64,
 * /48 and /32. Every customer has the narrowest to themselves, an organisation often the middle one, and a provider the
 * widest: whoever has one of these has all the narrower ones in it.
 */
export type Networks = readonly [narrow: string, middle: string, wide: string]

/** What is not an address is in a network of its own. */
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
 * Parses what {@link plainAddress} returned; undefined for a text that is not an address. Node decides that: ipaddr.js also
 * takes octal and hexadecimal numbers, and fewer than four of them.
 */
export const parsedAddress = (plain: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  isIPv4(plain) ? ipaddr.IPv4.parse(plain) : parsedIPv6(plain)

/** Undefined with a zone. The URL parser writes an IPv4 part as IPv6: ipaddr.js takes `::192.0.2.1` for a mapped address, which it is not. */
export const parsedIPv6 = (plain: string): ipaddr.IPv6 | undefined =>
  isIPv6(plain) && !plain.includes('%')
    ? ipaddr.IPv6.parse(new URL(`http://[${plain}]`).hostname.slice(1, -1))
    : undefined

/**
 * 32 hexadecimal digits, whose order is that of the addresses: the address as IPv6, where IPv4 is mapped. Undefined for a
 * text that is no address.
 */
export function addressKey(address: string): string | undefined {
  const parsed = parsedAddress(plainAddress(address))
  return parsed && keyOf(parsed)
}

/** As {@link addressKey}. */
export const keyOf = (parsed: ipaddr.IPv4 | ipaddr.IPv6): string =>
  Buffer.from(('octets' in parsed ? parsed.toIPv4MappedAddress() : parsed).toByteArray()).toString('hex')

/** Whether a person at one address and a program at the other may be on one machine or in one network. */
export const sameNetwork = (a: string, b: string): boolean =>
  networksOf(a)[0] === networksOf(b)[0] || (isLoopback(a) && isLoopback(b))

/** A machine reaches itself over IPv4 and IPv6. */
export const isLoopback = (address: string): boolean => /^(127\..*|::1)$/.test(plainAddress(address))
