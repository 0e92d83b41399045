/** Simulates the platforms' token endpoints on loopback. Each accepts only the requests of its own jobs. */
import { createServer, type IncomingMessage } from 'node:http'
import { onLoopback } from '../../../packages/server/test/support/loopback.ts'

export interface Platform {
  readonly url: string
  /** Answers this many of the next requests with 503. */
  beBusyFor(requests: number): void
}

interface Tokens {
  readonly idToken: (audience: string) => string
  /** Azure DevOps chooses the audience. */
  readonly azureToken: () => string
}

/** Starts the endpoints before the tests of the suite, and closes them afterwards. */
export function platform({ idToken, azureToken }: Tokens): Platform {
  let busy = 0
  const answerTo = ({ method, headers }: IncomingMessage, url: URL): string | undefined => {
    const asked = `${method} ${url.pathname}`
    const bearer = headers.authorization
    const audience = url.searchParams.get('audience') ?? ''
    if (
      asked === 'GET /idtoken' &&
      bearer === 'Bearer secret-of-actions' &&
      url.searchParams.has('placeholder')
    )
      return JSON.stringify({ count: 1, value: idToken(audience) }, undefined, 2)
    if (
      asked === 'POST /oidctoken' &&
      bearer === 'Bearer secret-of-azure' &&
      url.searchParams.get('api-version') === '7.1'
    )
      return JSON.stringify({ oidcToken: azureToken() })
    const isGoogle = headers['metadata-flavor'] === 'Google' && url.searchParams.get('format') === 'full'
    if (asked === 'GET /computeMetadata/v1/instance/service-accounts/default/identity' && isGoogle)
      return idToken(audience)
    return undefined
  }
  const server = createServer((request, response) => {
    request.resume()
    const answer = answerTo(request, new URL(request.url ?? '', 'http://platform'))
    response.writeHead(busy-- > 0 ? 503 : answer === undefined ? 401 : 200).end(answer ?? '{"message": "no"}')
  })
  const loopback = onLoopback(server)
  return {
    get url() {
      return loopback.url
    },
    beBusyFor: (requests) => {
      busy = requests
    },
  }
}
