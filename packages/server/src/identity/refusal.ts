/** What the operations throw, as the bakery says it (contract/bakery.md 3.2, 3.3). */
import { BAKERY_ERROR_CODES, type BakeryErrorCode, ERROR_CODES } from '@ratafia/api'
import { MacaroonError } from '@ratafia/macaroon'
import { BakeryError } from '@ratafia/macaroon/bakery'
import { ConditionError } from '@ratafia/macaroon/conditions'
import { RequestError, TooManyRequests, Unavailable } from '../errors.ts'
import { IdentityError, type InteractionMethods, InteractionRequired, StillWaiting } from './errors.ts'

export interface Refusal {
  readonly status: number
  readonly code: BakeryErrorCode
  readonly message: string
  readonly methods?: InteractionMethods
  /** Seconds. */
  readonly retryAfter?: number
}

/** What an error says to the client. `undefined` for a fault of ours, and for what is not of ours at all. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof InteractionRequired)
    return { ...refusal('interaction required', error), methods: error.methods }
  if (error instanceof IdentityError) return refusal(error.code, error)
  if (error instanceof StillWaiting) return { ...refusal('service unavailable', error), status: 504 }
  if (error instanceof RequestError) {
    return refusal(ERROR_CODES[error.code].status === 401 ? 'permission denied' : 'bad request', error)
  }
  if (error instanceof BakeryError) return caveatRefusal(error)
  if (error instanceof ConditionError) return refusal('permission denied', error)
  if (error instanceof MacaroonError) return refusal('bad request', error)
  if (error instanceof TooManyRequests) {
    return { ...refusal('too many requests', error), retryAfter: error.retryAfter }
  }
  if (error instanceof Unavailable) {
    return refusal('service unavailable', {
      message: 'The identity service could not check this just now. Try again.',
    })
  }
  return undefined
}

export const refusal = (code: BakeryErrorCode, { message }: { readonly message: string }): Refusal => ({
  status: BAKERY_ERROR_CODES[code],
  code,
  message,
})

/** A caveat for somebody else, or forged, is refused; one that is none at all is a bad request. */
function caveatRefusal(error: BakeryError): Refusal {
  const bad: readonly string[] = ['malformed', 'unsupported-version', 'limit-exceeded', 'payload-missing']
  return refusal(bad.includes(error.code) ? 'bad request' : 'permission denied', {
    message: `The caveat cannot be discharged: ${error.message}.`,
  })
}
