/** Whether the peer of a socket is a proxy that the operator trusts to say where requests come from. */
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
  // `::ffff:192.0.2.1`, as a dual-stack socket writes an IPv4 address, matches IPv4 rules.
  return (address) => address !== undefined && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
