/** Another device service in this process. It records requests and sends the answer that a test has set. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { onLoopback } from './loopback.ts'

export interface SeenRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Upstream {
  /** The URL, with a trailing slash. */
  readonly url: string
  /** The requests since the test last set the answer. */
  readonly seen: readonly SeenRequest[]
  answerWith(answer: (response: ServerResponse) => void): void
}

/** Returns a device service that runs during the suite's tests. */
export function testUpstream(path = '/v1/'): Upstream {
  let answer: (response: ServerResponse) => void = (response) => response.end()
  let seen: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    seen.push({ method: request.method, url: request.url, headers: request.headers, body })
    answer(response)
  })
  const loopback = onLoopback(server)
  return {
    get url() {
      return `${loopback.url}${path}`
    },
    get seen() {
      return seen
    },
    answerWith: (next) => {
      answer = next
      seen = []
    },
  }
}
