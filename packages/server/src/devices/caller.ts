/** The origin of a request, as the register keeps it. */
import type { Caller } from './device.ts'

const MAX_USER_AGENT = 256

export const callerOf = (request: {
  readonly client: { readonly address: string }
  readonly headers: { readonly 'user-agent'?: string | undefined }
}): Caller => ({
  address: request.client.address,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT).replace(/[^ -~]/g, '?'),
})
