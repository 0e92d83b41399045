/** Posts events to the operator's webhook. */
import { createHmac } from 'node:crypto'
import { consolePage, type Delivery, type DueReminder, type Ends } from './reminder.ts'
import type { PostEvent } from './send-reminders.ts'

export interface Webhook {
  readonly url: string
  readonly secret: string
  /** Private networks that are allowed anyway. */
  readonly privateAddresses: readonly string[]
}

/**
 * Sends one POST without redirects, to a public address or one of these private networks. Returns the status,
 * or why there is none.
 */
export type Post = (
  url: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  privateAddresses: readonly string[],
) => Promise<{ readonly status: number } | { readonly failure: string }>

/** `baseUrl` belongs to this service, and has no slash at the end. */
export function webhookPoster(
  { url, secret, privateAddresses }: Webhook,
  { post, baseUrl }: { readonly post: Post; readonly baseUrl: string },
): PostEvent {
  return async ({ reminder, ends }, now) => {
    const event = signedEvent(reminder, ends, now, { secret, baseUrl })
    return deliveryOf(await post(url, event, privateAddresses))
  }
}

function deliveryOf(answer: Awaited<ReturnType<Post>>): Delivery {
  if ('failure' in answer) return { result: 'away', why: answer.failure }
  const { status } = answer
  if (status >= 200 && status < 300) return { result: 'delivered' }
  return { result: 'later', why: `it answered with status ${status}` }
}

/** The request to post. */
interface SignedEvent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface EventSettings {
  readonly secret: string
  /** Has no slash at the end. */
  readonly baseUrl: string
}

/**
 * Returns the signed event of a reminder. Its id, and `at`, when the reminder was queued, are the same for
 * each attempt. The signature is `v1=` and the HMAC-SHA256 over `ID.TIMESTAMP.BODY` in hexadecimal. The
 * timestamp is the time of the attempt, in seconds, so that receivers can refuse replayed events.
 */
function signedEvent(
  { id, queuedAt, days }: Pick<DueReminder, 'id' | 'queuedAt' | 'days'>,
  ends: Ends,
  now: Date,
  { secret, baseUrl }: EventSettings,
): SignedEvent {
  const body = JSON.stringify({
    id,
    type: `${ends.kind}.expiring`,
    at: queuedAt.toISOString(),
    data: { ...dataOf(ends), ends_at: ends.endsAt.toISOString(), days, url: consolePage(ends, baseUrl) },
  })
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('hex')
  return {
    headers: {
      'content-type': 'application/json',
      'ratafia-webhook-id': id,
      'ratafia-webhook-timestamp': timestamp,
      'ratafia-webhook-signature': `v1=${signature}`,
    },
    body,
  }
}

function dataOf(ends: Ends): object {
  switch (ends.kind) {
    case 'token':
      return {
        session_id: ends.sessionId,
        account_id: ends.accountId,
        account: ends.username,
        description: ends.description ?? null,
      }
    case 'signing-key':
      return { key_id: ends.keyId, brand: ends.brandId, name: ends.name ?? null }
    case 'api-key':
      return { id: ends.id, model: ends.model, label: ends.label }
    case 'grant':
      return { id: ends.id, account: ends.username, role: ends.role, brand: ends.brandId ?? null }
  }
}
