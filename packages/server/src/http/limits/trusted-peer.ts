/** Whether a socket's other end is one of the proxies that the operator named: what it says of a request is believed. */
import { BlockList, isIPv6 } from 'node:net'

/** `proxies` are addresses and CIDR blocks. */
export function trustedPeer(proxies: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  // An IPv4 address as a socket for both families writes it (`::ffff:192.0.2.1`) matches rules of IPv4.
  return (address) => address !== undefined && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
