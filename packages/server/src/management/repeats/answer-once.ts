/**
 * Answers a request once, however often it is sent with the same `Idempotency-Key`
 * (contract/administration.md, A12). The answer is kept for a day. Opening it requires the keys of the
 * service and the `Idempotency-Key`, but finding its row requires only the keys of the service: a thief of
 * the database who guesses an `Idempotency-Key` cannot even check the guess.
 */
import { RequestError } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { RepeatKey } from './repeat-store.ts'

interface Asked {
  readonly accountId: string
  readonly key: string
  readonly digest: string
  /** How long the answer is shown again, in milliseconds; absent for as long as it is kept. */
  readonly shownForMs?: number
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Longer than any request takes: an older one without an answer died with its process. */
const LONGEST_MS = 60_000

/**
 * Returns the answer of `work`, or its earlier answer. Refusals are not kept. Throws `idempotency-key-reused` and
 * `idempotency-key-busy`, and what `work` throws.
 */
export async function answerOnce(asked: Asked, work: () => Promise<Answer>, stores: Stores): Promise<Answer> {
  const { repeats, keyring, clock } = stores
  const { accountId } = asked
  const key: RepeatKey = { accountId, keyHash: await keyring.fingerprint('idempotency key', asked.key) }
  const request = { digest: await keyring.fingerprint('repeated request', asked.digest), at: clock() }
  if (!(await repeats.begin(key, request))) {
    const before = await answeredBefore({ key, asked, digest: request.digest }, stores)
    if (before) return before
  }
  try {
    const answer = await work()
    const { status, headers, body } = answer
    const sealed = await keyring.sealText(purposeOf(asked), Buffer.from(body, 'utf8'))
    await repeats.end(key, { status, headers, sealed: Buffer.from(sealed, 'base64url') })
    return answer
  } catch (error) {
    // If even this fails, a later request takes over once this one can no longer run.
    await repeats.forget(key).catch(() => undefined)
    throw error
  }
}

interface Repeated {
  readonly key: RepeatKey
  readonly asked: Asked
  readonly digest: string
}

/** Returns undefined if the request must run after all. */
async function answeredBefore(
  { key, asked, digest }: Repeated,
  { repeats, keyring, clock }: Stores,
): Promise<Answer | undefined> {
  const kept = await repeats.find(key)
  // The first request was refused a moment ago.
  if (!kept) {
    if (await repeats.begin(key, { digest, at: clock() })) return undefined
    throw busy()
  }
  if (kept.digest !== digest) {
    throw new RequestError(
      'idempotency-key-reused',
      'This Idempotency-Key was already sent with another request or by another login. Use a new key for each request.',
    )
  }
  const age = clock().getTime() - kept.startedAt.getTime()
  if (kept.answer) {
    if (age >= (asked.shownForMs ?? Number.POSITIVE_INFINITY)) throw notShown()
    const { status, headers, sealed } = kept.answer
    const body = await keyring.openText(purposeOf(asked), Buffer.from(sealed).toString('base64url'))
    if (!body) throw notShown()
    const replayed = { ...headers, 'idempotent-replayed': 'true' }
    return { status, headers: replayed, body: Buffer.from(body).toString('utf8') }
  }
  if (age < LONGEST_MS) throw busy()
  if (await repeats.takeOver(key, kept.startedAt, clock())) return undefined
  throw busy()
}

const busy = () =>
  new RequestError(
    'idempotency-key-busy',
    'The first request with this Idempotency-Key is still running. Send it again in a second.',
  )

const notShown = () =>
  new RequestError(
    'idempotency-key-reused',
    'The answer to this Idempotency-Key is not shown any more. Use a new key for a new request.',
  )

/** Only this account with this key opens the answer. Neither contains a space. */
const purposeOf = ({ accountId, key }: Asked): string => `kept answer ${accountId} ${key}`
