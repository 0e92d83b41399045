/** Addresses as keys whose order is that of the addresses, so that a block of them is a range. */

import { groupsOf, plainAddress } from './address.ts'
import { isNetwork, networkParts } from './address-classes.ts'

/** The keys of a block, both of them in it. */
export interface AddressRange {
  readonly first: string
  readonly last: string
}

const BITS = 128
const IPV4_BITS = 32

/** 32 hexadecimal digits: the address as IPv6, where IPv4 is mapped. Undefined for a text that is no address. */
export function addressKey(address: string): string | undefined {
  const plain = plainAddress(address)
  const groups = groupsOf(/^[0-9.]+$/.test(plain) ? `::ffff:${plain}` : plain)
  return groups?.map((group) => group.padStart(4, '0')).join('')
}

/** Of an address, or a CIDR block such as `198.51.100.0/24`. Undefined for a text that is neither. */
export function addressRange(text: string): AddressRange | undefined {
  if (!isNetwork(text)) return undefined
  const { address, bits, family } = networkParts(text)
  const key = addressKey(address)
  if (key === undefined) return undefined
  const free = BigInt((family === 4 ? IPV4_BITS : BITS) - bits)
  const first = (BigInt(`0x${key}`) >> free) << free
  return { first: digitsOf(first), last: digitsOf(first | ((1n << free) - 1n)) }
}

const digitsOf = (number: bigint): string => number.toString(16).padStart(BITS / 4, '0')
