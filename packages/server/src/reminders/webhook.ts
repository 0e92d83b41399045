/** Posts events to the operator's webhook. */
import { signedEvent } from './event.ts'
import type { Delivery } from './reminder.ts'
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
