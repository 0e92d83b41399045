/**
 * The rest of a store, as a reverse proxy in front of the service: it forwards the service's requests and, for all
 * others, asks the service about the device session, as nginx does with `auth_request`.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface Exchange {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly status: number
  readonly answer: string
}

/** A test's hook before the proxy acts. A returned response replaces the proxy's. */
type Meddle = (request: {
  readonly method: string
  readonly path: string
  /** The headers, which the hook can change. */
  readonly headers: IncomingHttpHeaders
}) => undefined | Response | Promise<Response>

export interface Front {
  readonly url: string
  /** The address of the service. */
  target: string
  meddle: Meddle | undefined
  /** A hook that can replace an answer. */
  after: ((exchange: Exchange) => Response | undefined) | undefined
  /** Returns the exchanges since the last call, oldest first. */
  taken(): Exchange[]
  close(): Promise<void>
}

export async function startFront(): Promise<Front> {
  let exchanges: Exchange[] = []
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request
    const body = await buffer(request)
    const came =
      (await front.meddle?.({ method, path, headers })) ?? (await answer(method, path, headers, body))
    const text = Buffer.from(await came.clone().arrayBuffer()).toString()
    const exchange = { method, path, headers, body: body.toString(), status: came.status, answer: text }
    exchanges.push(exchange)
    const meant = front.after?.(exchange) ?? came
    const given = Buffer.from(await meant.arrayBuffer())
    const passed = [...meant.headers].filter(([name]) => !HOP_BY_HOP.has(name) && name !== 'content-encoding')
    response.writeHead(meant.status, Object.fromEntries(passed)).end(given)
  }

  async function answer(
    method: string,
    path: string,
    headers: IncomingHttpHeaders,
    body: Buffer,
  ): Promise<Response> {
    if (method === 'HEAD' || OF_THE_SERVICE.test(path)) return pass(method, path, headers, body)
    // Send the original headers without a body, as `auth_request` does.
    const { 'content-length': _, 'content-type': __, ...asked } = headers
    const verdict = await pass('GET', '/device-session', asked, Buffer.alloc(0))
    return verdict.ok ? ofTheStore(path) : verdict
  }

  async function pass(
    method: string,
    path: string,
    headers: IncomingHttpHeaders,
    body: Buffer,
  ): Promise<Response> {
    const kept = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.has(name) ? [] : [[name, String(value)] as [string, string]],
    )
    try {
      return await fetch(`${front.target}${path}`, {
        method,
        headers: kept,
        redirect: 'manual',
        ...(body.length > 0 ? { body } : {}),
      })
    } catch {
      // The service is down: answer as any proxy does.
      return new Response('Bad Gateway', { status: 502 })
    }
  }

  const front: Front = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: '',
    meddle: undefined,
    after: undefined,
    taken: () => {
      const taken = exchanges
      exchanges = []
      return taken
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return front
}

const OF_THE_SERVICE = /^\/(?:api\/v1\/snaps\/auth|v2\/assertions|v1)\//
const HOP_BY_HOP = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
  'expect',
])

/** Answers like the parts of a store that snapd needs. */
function ofTheStore(path: string): Response {
  if (path.startsWith('/api/v1/snaps/sections')) {
    return Response.json(
      { _embedded: { 'clickindex:sections': [{ name: 'featured' }] } },
      { headers: { 'content-type': 'application/hal+json' } },
    )
  }
  if (path.startsWith('/v2/snaps/info/')) {
    const channel = { name: 'stable', track: 'latest', risk: 'stable', 'released-at': '2026-01-01T00:00:00Z' }
    const release = { channel, revision: 1, version: '1', type: 'app' }
    return Response.json({ name: 'hello', 'snap-id': 'x'.repeat(32), snap: {}, 'channel-map': [release] })
  }
  return Response.json({ 'error-list': [{ code: 'not-found', message: 'not found' }] }, { status: 404 })
}
