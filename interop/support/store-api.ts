/** A store with one private snap. The service verifies each request; the store lets snapd know when to refresh. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The snap that only users who have logged in can see. */
export const SNAP = 'hello'
const SNAP_ID = 'x'.repeat(32)
const REVISION = 7
const CONTENT = 'a snap'

/** The answer of `POST /dev/api/acl/verify/`. */
interface Verdict {
  readonly allowed: boolean
  readonly refresh_required: boolean
  readonly account?: { readonly email: string; readonly displayname: string }
  readonly permissions?: readonly string[]
}

const REFUSED: Verdict = { allowed: false, refresh_required: false }

export interface Seen {
  readonly method: string
  readonly path: string
  readonly authorization: string
  readonly userAgent: string
  readonly verdict: Verdict
}

export interface StoreApi {
  readonly url: string
  /** The address of the service. */
  target: string
  /** Returns the requests about the snap since the last call, oldest first. */
  seen(): Seen[]
  close(): void
}

export async function startStoreApi(): Promise<StoreApi> {
  let seen: Seen[] = []
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    request.resume()
    const path = url.replace(/\?.*/, '')
    const found = bodyOf(path, store.url)
    if (found === undefined) return reply(response, 404, '{}')
    const { authorization } = headers
    const asked = { http_uri: `${store.url}${url}`, http_method: method }
    const verdict = authorization === undefined ? REFUSED : await verify({ authorization, ...asked })
    seen.push({
      method,
      path,
      authorization: authorization ?? '',
      userAgent: headers['user-agent'] ?? '',
      verdict,
    })
    if (verdict.allowed) return reply(response, 200, found)
    if (verdict.refresh_required) response.setHeader('WWW-Authenticate', 'Macaroon needs_refresh=1')
    return reply(response, 401, '{}')
  }

  async function verify(data: Readonly<Record<string, string>>): Promise<Verdict> {
    const answered = await fetch(`${store.target}/dev/api/acl/verify/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ auth_data: data }),
    })
    if (!answered.ok) throw new Error(`verify answered ${answered.status}: ${await answered.text()}`)
    return (await answered.json()) as Verdict
  }

  const store: StoreApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: '',
    seen: () => {
      const taken = seen
      seen = []
      return taken
    },
    close: () => server.close().closeAllConnections(),
  }
  return store
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

/** Returns the body for a path; undefined if the path is not about the snap. */
function bodyOf(path: string, url: string): string | undefined {
  switch (path) {
    case `/v2/snaps/info/${SNAP}`:
      return JSON.stringify({
        name: SNAP,
        'snap-id': SNAP_ID,
        snap: snap(url),
        'channel-map': [release(url)],
      })
    case '/v2/snaps/refresh':
      return JSON.stringify({
        results: [
          {
            result: 'download',
            'instance-key': 'download-1',
            'snap-id': SNAP_ID,
            name: SNAP,
            snap: snap(url),
          },
        ],
      })
    case `/download/${SNAP}`:
      return CONTENT
    default:
      return undefined
  }
}

const snap = (url: string) => ({
  ...{ name: SNAP, 'snap-id': SNAP_ID, revision: REVISION, version: '1', type: 'app', private: true },
  ...{ summary: 'a private snap', confinement: 'strict' },
  publisher: { id: 'p', username: 'ada', 'display-name': 'Ada', validation: 'unproven' },
  download: {
    url: `${url}/download/${SNAP}`,
    size: CONTENT.length,
    'sha3-384': createHash('sha3-384').update(CONTENT).digest('hex'),
  },
})

const release = (url: string) => ({
  ...snap(url),
  channel: {
    ...{ name: 'stable', track: 'latest', risk: 'stable', architecture: 'amd64' },
    'released-at': '2026-01-01T00:00:00Z',
  },
})
