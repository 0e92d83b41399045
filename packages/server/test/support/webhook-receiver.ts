/** A webhook receiver in this process. It checks signatures with its own HMAC, and can hang up or refuse. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { onLoopback } from './loopback.ts'

export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  readonly at: string
  readonly data: Readonly<Record<string, unknown>>
  /** The timestamp of the header, in seconds. */
  readonly timestamp: number
}

export interface WebhookReceiver {
  readonly url: string
  /** Returns the events since the last call: those that it answered with 204, and the others. */
  take(): { readonly taken: readonly ReceivedEvent[]; readonly refused: readonly ReceivedEvent[] }
  /** Sets the answer: a status with its headers, none (`hang-up`), or 204 (undefined). */
  answerWith(next: { readonly status: number; readonly location?: string } | 'hang-up' | undefined): void
}

export const WEBHOOK_SECRET = 'test-secret-of-the-webhook-0123456789'

/** Returns a receiver that runs during the suite's tests. It refuses an event without a valid signature. */
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
      // The sender gets a refusal, and the test an unexpected event.
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
