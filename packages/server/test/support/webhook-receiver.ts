/** A webhook receiver in this process: it checks signatures with its own HMAC, and can be away or refuse. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { onLoopback } from './loopback.ts'

export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  readonly at: string
  readonly data: Readonly<Record<string, unknown>>
  /** Of the header, in seconds. */
  readonly timestamp: number
}

export interface WebhookReceiver {
  readonly url: string
  /** Since a test last took them: those that it answered with 204, and the others. */
  take(): { readonly taken: readonly ReceivedEvent[]; readonly refused: readonly ReceivedEvent[] }
  /** A status with its headers, or no answer at all; undefined: 204. */
  answerWith(next: { readonly status: number; readonly location?: string } | 'hang-up' | undefined): void
}

export const WEBHOOK_SECRET = 'test-secret-of-the-webhook-0123456789'

/** Gives the suite one: started before its tests, closed after them. An event that is not signed fails the request. */
export function webhookReceiver(): WebhookReceiver {
  let answer: Parameters<WebhookReceiver['answerWith']>[0]
  let taken: ReceivedEvent[] = []
  let refused: ReceivedEvent[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const { headers, method, url } = request
    const event = { ...JSON.parse(body), timestamp: Number(headers['ratafia-webhook-timestamp']) }
    const signed = `${headers['ratafia-webhook-id']}.${headers['ratafia-webhook-timestamp']}.${body}`
    const expected = `v1=${createHmac('sha256', WEBHOOK_SECRET).update(signed).digest('hex')}`
    try {
      assert.equal(headers['ratafia-webhook-signature'], expected)
      assert.equal(headers['ratafia-webhook-id'], event.id)
      assert.equal(headers['content-type'], 'application/json')
      assert.deepEqual({ method, url }, { method: 'POST', url: '/hooks?at=1' })
    } catch (error) {
      // The sender sees a refusal, and the test an event that it does not expect.
      refused.push({ ...event, type: String(error) })
      return response.writeHead(400).end()
    }
    if (answer === undefined) {
      taken.push(event)
      return response.writeHead(204).end()
    }
    refused.push(event)
    if (answer === 'hang-up') return request.socket.destroy()
    const { status, location } = answer
    return response.writeHead(status, location === undefined ? {} : { location }).end('x'.repeat(100_000))
  })
  const loopback = onLoopback(server)
  return {
    get url() {
      return `${loopback.url}/hooks?at=1`
    },
    take: () => {
      const all = { taken, refused }
      taken = []
      refused = []
      return all
    },
    answerWith: (next) => {
      answer = next
    },
  }
}
