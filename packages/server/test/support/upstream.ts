/** Another device service in this process: it records requests and gives the answer that a test set. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { onLoopback } from './loopback.ts'

export interface SeenRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Upstream {
  /** Its address, with a trailing slash. */
  readonly url: string
  /** The requests since a test last set the answer. */
  readonly seen: readonly SeenRequest[]
  answerWith(answer: (response: ServerResponse) => void): void
}

/** Gives the suite one: started before its tests, closed after them. */
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
