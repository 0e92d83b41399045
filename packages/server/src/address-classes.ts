/** Tells public addresses from others, for connections to names that somebody else controls (contract/oidc.md, A19). */
import { BlockList, isIP } from 'node:net'
import { addressKey, groupsOf, plainAddress } from './address.ts'

export type AddressClass = 'public' | 'private' | 'loopback' | 'link-local' | 'reserved'

/** IANA's registries of special addresses. Other IPv4 addresses are public, and other IPv6 addresses in {@link GLOBAL}. */
const CLASSES: readonly (readonly [Exclude<AddressClass, 'public'>, readonly string[]])[] = [
  ['loopback', ['127.0.0.0/8', '::1/128']],
  // The last is the IPv6 address of Amazon's metadata service, which is also at 169.254.169.254.
  ['link-local', ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128']],
  [
    'private',
    [
      ...['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', '198.18.0.0/15'],
      ...['fc00::/7', 'fec0::/10', '64:ff9b:1::/48'],
    ],
  ],
  [
    'reserved',
    [
      ...['0.0.0.0/8', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24'],
      ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
      // 2001::/23 includes Teredo, whose addresses contain an IPv4 address.
      ...['2001::/23', '2001:db8::/32', '3fff::/20'],
    ],
  ],
]
const GLOBAL = networkList(['2000::/3'])
const LISTS = CLASSES.map(([name, networks]) => [name, networkList(networks)] as const)

/** `reserved` for a text that is not an address. */
export function classOf(address: string): AddressClass {
  const meant = reachedAddress(address)
  const family = isIP(meant) === 4 ? 'ipv4' : 'ipv6'
  if (isIP(meant) === 0) return 'reserved'
  const special = LISTS.find(([, list]) => list.check(meant, family))
  if (special) return special[0]
  return family === 'ipv4' || GLOBAL.check(meant, family) ? 'public' : 'reserved'
}

/** The host of a URL: a name, or an address as `node:net` takes it, without the brackets of IPv6. */
export const hostIn = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Whether the host is an address of this machine, not a name. */
export const isLoopbackHost = (host: string): boolean => isIP(host) !== 0 && classOf(host) === 'loopback'

/** Whether the address, or the one that {@link reachedAddress} finds in it, is in one of these networks. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const list = networkList(networks)
  return [plainAddress(address), reachedAddress(address)].some(
    (one) => isIP(one) !== 0 && list.check(one, isIP(one) === 4 ? 'ipv4' : 'ipv6'),
  )
}

/** Whether an address itself is in one of these networks, whatever it reaches. False for text that is not an address. */
export function insideOf(networks: readonly string[]): (address: string) => boolean {
  const list = networkList(networks)
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

/** A CIDR block such as `10.20.0.0/16`, or an address, which is a block of one. */
export function isNetwork(text: string): boolean {
  const { address, bits, family } = networkParts(text)
  return family !== 0 && !address.includes('%') && bits <= (family === 4 ? 32 : 128)
}

/** The first address of a network. */
export const firstAddressOf = (network: string): string => networkParts(network).address

/** The keys (`addressKey`) of a block of addresses, both of them in it. */
export interface AddressRange {
  readonly first: string
  readonly last: string
}

/** Of an address, or a CIDR block such as `198.51.100.0/24`. Undefined for a text that is neither. */
export function addressRange(text: string): AddressRange | undefined {
  if (!isNetwork(text)) return undefined
  const { address, bits, family } = networkParts(text)
  const key = addressKey(address)
  if (key === undefined) return undefined
  const free = BigInt((family === 4 ? 32 : 128) - bits)
  const first = (BigInt(`0x${key}`) >> free) << free
  return { first: keyOfNumber(first), last: keyOfNumber(first | ((1n << free) - 1n)) }
}

const keyOfNumber = (number: bigint): string => number.toString(16).padStart(32, '0')

function networkParts(network: string): {
  readonly address: string
  readonly bits: number
  /** 4 or 6; 0 for what is no address. */
  readonly family: number
} {
  const [address = '', prefix, more] = network.split('/')
  const family = more === undefined ? isIP(address) : 0
  if (prefix === undefined) return { address, bits: family === 4 ? 32 : 128, family }
  return { address, bits: /^[0-9]{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN, family }
}

function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const { address, bits, family } of networks.map(networkParts)) {
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

/** The IPv4 address that a packet to this IPv6 address reaches, if there is one; else the address without its zone. */
function reachedAddress(address: string): string {
  const plain = plainAddress(address)
  const groups = groupsOf(plain)?.map((group) => Number.parseInt(group, 16))
  if (!groups) return plain
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups
  const ipv4 = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join('.')
  // 6to4.
  if (a === 0x2002) return ipv4(b, c)
  // NAT64.
  if (a === 0x64 && b === 0xff9b && [c, d, e, f].every((group) => group === 0)) return ipv4(g, h)
  // Translated (SIIT), and the old IPv4-compatible form; not :: and ::1.
  const isTranslated = [a, b, c, d].every((group) => group === 0) && (e === 0xffff || e === 0) && f === 0
  return isTranslated && (e !== 0 || g !== 0 || h > 1) ? ipv4(g, h) : plain
}
