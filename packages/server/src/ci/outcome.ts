/** How an exchange ended, for the metrics (contract/oidc.md, A23). */
import { RequestError, Unavailable } from '../errors.ts'
import { ExchangeRefusal, KeysUnavailable, type Reason } from './refusal.ts'

export type Outcome = Reason | 'granted' | 'keys-unavailable' | 'database' | 'fault'

export function outcomeOf(error: unknown): Outcome {
  if (error instanceof ExchangeRefusal) return error.reason
  if (error instanceof RequestError) return 'malformed'
  if (error instanceof KeysUnavailable) return 'keys-unavailable'
  return error instanceof Unavailable ? 'database' : 'fault'
}
