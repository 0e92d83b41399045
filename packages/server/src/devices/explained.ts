/** Turns errors of the assertions package into answers for a device. */
import { AssertionError } from '@ratafia/assertions'
import { RequestError } from '../errors.ts'

/**
 * Options for decoding assertions that devices send. A device keeps the model it was built with: rules that
 * became known later apply only to operators who add models.
 */
export const FROM_DEVICES = { rules: false } as const

/** `what` is a clause such as `could not validate model assertion`; the reason follows it in brackets. */
export function explained<T>(work: () => T, what?: string): T {
  try {
    return work()
  } catch (error) {
    throw explanation(error, what)
  }
}

/** Does the same as {@link explained} for a promise. */
export async function explainedAsync<T>(work: () => Promise<T>, what?: string): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explanation(error, what)
  }
}

/** Returns {@link RequestError} `invalid-assertion` for an `AssertionError`, and any other error unchanged. */
function explanation(error: unknown, what?: string): unknown {
  if (!(error instanceof AssertionError)) return error
  const reason = what === undefined ? error.message : `${what} (${error.message})`
  const message = `invalid assertion: ${reason}.${ADVICE[error.code] ?? ''}`
  return new RequestError('invalid-assertion', message, { cause: error })
}

/** Uses the store's words, which snapd shows unchanged (contract/devices.md 1.4). */
export const invalidAssertion = (fault: string): RequestError =>
  new RequestError('invalid-assertion', `invalid assertion: ${fault}.`)

/** The remedy, where the reason alone doesn't suggest one. */
const ADVICE: Readonly<Partial<Record<AssertionError['code'], string>>> = {
  'unknown-key': ' Ask the operator of this service to add that key.',
  untrusted: ' Ask the operator of this service whom it trusts.',
  'untrusted-signer': ' Ask the operator of this service whom it trusts.',
  'weak-hash': ' Sign with SHA-256, 384 or 512.',
  'weak-key': ' Use RSA keys of 2048 bits and up.',
  'unsupported-format': ' Use an older format.',
}
