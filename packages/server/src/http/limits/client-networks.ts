/** The networks of the client that sent a request, for what looks at a request before the application does. */
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { addressOf, type Networks, networksOf } from '../../address.ts'

export type ClientNetworks = (request: IncomingMessage) => Networks

/** `proxies` are addresses and CIDR blocks whose `X-Forwarded-For` is believed. */
export function clientNetworks(proxies: readonly string[]): ClientNetworks {
  const known = new WeakMap<IncomingMessage, Networks>()
  // The library that Fastify uses, so that both see the same client.
  const trusted = proxies.length === 0 ? undefined : proxyAddr.compile([...proxies])
  return (request) => {
    const before = known.get(request)
    if (before) return before
    const ip = trusted ? proxyAddr(request, trusted) : request.socket.remoteAddress
    const networks = networksOf(addressOf({ ip }))
    // The address of a connection is gone once it is closed.
    known.set(request, networks)
    return networks
  }
}
