/** Where a request came from, as the register keeps it. */
import { addressOf } from '../address.ts'
import type { Caller } from './device.ts'

const MAX_USER_AGENT = 256

export const callerOf = (request: {
  readonly ip: string | undefined
  readonly headers: { readonly 'user-agent'?: string | undefined }
}): Caller => ({
  address: addressOf(request),
  userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT).replace(/[^ -~]/g, '?'),
})
