/** The event of a reminder, as the webhook gets it: JSON, and a signature over it. */
import { createHmac } from 'node:crypto'
import { consolePage } from './console-page.ts'
import type { DueReminder, Ends } from './reminder.ts'

/** What is posted. */
export interface SignedEvent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface EventSettings {
  readonly secret: string
  /** Without a trailing slash. */
  readonly baseUrl: string
}

/**
 * The id stays the same at each attempt, and so does `at`, when the reminder was queued. The signature is
 * `v1=` and HMAC-SHA256 over `ID.TIMESTAMP.BODY` in hexadecimal; the timestamp is that of the attempt, in seconds, so that
 * a receiver can refuse what somebody recorded.
 */
export function signedEvent(
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
