/** The sender of a request. This is the one place that decides which address a request comes from. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { addressOf, isLoopback, type Networks, networksOf } from '../addresses/address.ts'

interface Client {
  /** See {@link addressOf}. */
  readonly address: string
  readonly networks: Networks
  /** Whether the request came through a proxy that the operator trusts, whose headers are believed. */
  readonly byTrustedProxy: boolean
}

export type Clients = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => Client

declare module 'fastify' {
  interface FastifyRequest {
    readonly client: Client
  }
}

/** Gives each request of `app` its client. */
export function addClients(app: FastifyInstance, clients: Clients): void {
  app.decorateRequest('client', {
    getter() {
      return clients(this.raw)
    },
  })
}

/** How many clients of proxies are remembered, and the maximum length of their `X-Forwarded-For`. */
const REMEMBERED = 10_000
const LONGEST = 128

/**
 * `proxies` are the addresses and CIDR blocks whose `X-Forwarded-For` is believed. A client is determined
 * once per connection, or per text that a proxy forwards: every request needs it several times.
 */
export function clientsOf(proxies: readonly string[]): Clients {
  if (proxies.length === 0) return ofConnections()
  const trusted = proxyAddr.compile([...proxies])
  const remembered = new LRUCache<string, Client>({ max: REMEMBERED })
  // The address of a connection is lost when it closes, but a request can outlive it.
  const peers = ofConnections()
  return (request) => {
    const peer = peers(request)
    const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    const key = `${peer.address} ${forwarded}`
    const known = remembered.get(key)
    if (known) return known
    const chain = { headers: request.headers, socket: { remoteAddress: peer.address } }
    // The types ask for a whole request; the library reads these two.
    const ip = proxyAddr(chain as IncomingMessage, trusted)
    const client = clientAt(addressOf({ ip }), trusted(peer.address, 0))
    if (forwarded.length <= LONGEST) remembered.set(key, client)
    return client
  }
}

function ofConnections(): Clients {
  const known = new WeakMap<Socket, Client>()
  return ({ socket }) => {
    const before = known.get(socket)
    if (before) return before
    const client = clientAt(addressOf({ ip: socket.remoteAddress }), false)
    known.set(socket, client)
    return client
  }
}

const clientAt = (address: string, byTrustedProxy: boolean): Client => ({
  address,
  networks: networksOf(address),
  byTrustedProxy,
})

/**
 * Whether a request was protected from eavesdropping: it came over TLS, or a trusted proxy reports this for each hop that
 * it knows of. A request from this machine does not cross a network.
 */
export function arrivedInSecret({
  client,
  headers,
  socket,
}: Pick<FastifyRequest, 'client' | 'headers' | 'socket'>): boolean {
  if (isLoopback(client.address)) return true
  if (!client.byTrustedProxy) return 'encrypted' in socket
  const schemes = String(headers['x-forwarded-proto'] ?? '').split(',')
  return schemes.every((scheme) => scheme.trim().toLowerCase() === 'https')
}

const MOST = 256

/** Returns printable ASCII of limited length; undefined without a user agent. */
export function userAgentIn({ 'user-agent': text = '' }: IncomingHttpHeaders): string | undefined {
  const printable = text
    .slice(0, MOST)
    .replace(/[^ -~]/g, '?')
    .trim()
  return printable === '' ? undefined : printable
}

/** Aborts when the client is gone; at once if it left earlier, during a check of limits or a query. */
export function clientGone({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController()
  if (raw.closed) gone.abort()
  else raw.once('close', () => gone.abort())
  return gone.signal
}
