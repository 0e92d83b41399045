/**
 * Distinguishes public addresses from others, for connections to names that someone else controls
 * (contract/oidc.md, A19).
 */
import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { keyOf, parsedAddress, parsedIPv6, plainAddress } from './address.ts'

export type AddressClass = 'public' | 'private' | 'loopback' | 'link-local' | 'reserved'

/**
 * Classes by the name of the range in ipaddr.js, which follows IANA's registries of special addresses. Others
 * are `reserved`.
 */
const CLASSES: ReadonlyMap<string, AddressClass> = new Map([
  ['unicast', 'public'],
  ['loopback', 'loopback'],
  ['linkLocal', 'link-local'],
  ['private', 'private'],
  ['carrierGradeNat', 'private'],
  ['uniqueLocal', 'private'],
  ['deprecatedSiteLocal', 'private'],
  // The NAT64 part for local use. In the other part, reachedAddress finds an IPv4 address.
  ['rfc6052', 'private'],
])
/** Networks that ipaddr.js classifies differently. */
const OTHERWISE = [
  // Reserved for benchmarks, but private networks use it.
  [ipaddr.parseCIDR('198.18.0.0/15'), 'private'],
  // The IPv6 address of Amazon's metadata service, which is also at 169.254.169.254.
  [ipaddr.parseCIDR('fd00:ec2::254/128'), 'link-local'],
] as const
/** The only IPv6 addresses that IANA allocates. */
const GLOBAL = ipaddr.parseCIDR('2000::/3')

/** Returns the class of an address; `reserved` for a string that is not an address. */
export function classOf(address: string): AddressClass {
  const reached = parsedAddress(reachedAddress(address))
  if (!reached) return 'reserved'
  const isIn = (network: Network) => reached.kind() === network[0].kind() && reached.match(network)
  const otherwise = OTHERWISE.find(([network]) => isIn(network))
  const found = otherwise?.[1] ?? CLASSES.get(reached.range()) ?? 'reserved'
  return found === 'public' && reached.kind() === 'ipv6' && !isIn(GLOBAL) ? 'reserved' : found
}

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** Returns the host of a URL: a name, or an address as `node:net` accepts it, without the brackets of IPv6. */
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

/**
 * Returns whether an address itself is in one of these networks, whatever it reaches. False for text that is
 * not an address.
 */
export function insideOf(networks: readonly string[]): (address: string) => boolean {
  const list = networkList(networks)
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

/** Whether a string is a CIDR block such as `10.20.0.0/16`, or an address, which is a block of one. */
export function isNetwork(text: string): boolean {
  const { address, bits, family } = networkParts(text)
  return family !== 0 && !address.includes('%') && bits <= (family === 4 ? 32 : 128)
}

/** Returns the first address of a network. */
export const firstAddressOf = (network: string): string => networkParts(network).address

/** The first and last key (`addressKey`) of a block of addresses, both inclusive. */
export interface AddressRange {
  readonly first: string
  readonly last: string
}

/** Returns the range of an address or a CIDR block such as `198.51.100.0/24`. Undefined for any other text. */
export function addressRange(text: string): AddressRange | undefined {
  if (!isNetwork(text)) return undefined
  const { address, bits, family } = networkParts(text)
  const [type, block] = [family === 4 ? ipaddr.IPv4 : ipaddr.IPv6, `${parsedAddress(address)}/${bits}`]
  return {
    first: keyOf(type.networkAddressFromCIDR(block)),
    last: keyOf(type.broadcastAddressFromCIDR(block)),
  }
}

function networkParts(network: string): {
  readonly address: string
  readonly bits: number
  /** The IP version, 4 or 6; 0 if it is not an address. */
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

/** IPv6 networks whose addresses contain an IPv4 address, with the index of its first byte. */
const CONTAINING = [
  // 6to4.
  [ipaddr.IPv6.parseCIDR('2002::/16'), 2],
  // NAT64.
  [ipaddr.IPv6.parseCIDR('64:ff9b::/96'), 12],
  // Translated addresses (SIIT), and the old IPv4-compatible form.
  [ipaddr.IPv6.parseCIDR('::ffff:0:0:0/96'), 12],
  [ipaddr.IPv6.parseCIDR('::/96'), 12],
] as const

/**
 * Returns the IPv4 address that a packet to this IPv6 address reaches, if any; otherwise the address without its zone.
 */
function reachedAddress(address: string): string {
  const plain = plainAddress(address)
  const parsed = parsedIPv6(plain)
  if (!parsed) return plain
  const [, from] = CONTAINING.find(([network]) => parsed.match(network)) ?? []
  // :: and ::1 do not have the old form.
  if (from === undefined || ['unspecified', 'loopback'].includes(parsed.range())) return plain
  return parsed
    .toByteArray()
    .slice(from, from + 4)
    .join('.')
}
