/**
 * Answers a request once, however often it is sent with one `Idempotency-Key` (contract/administration.md, A12). The
 * answer is kept for a day. Opening it takes the keys of the service and the `Idempotency-Key`, and the row is found with
 * the keys of the service alone: a thief of the database who guesses an `Idempotency-Key` cannot even check the guess.
 */
import { RequestError } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { RepeatKey } from './repeat-store.ts'

interface Asked {
  readonly accountId: string
  readonly key: string
  readonly digest: string
  /** Milliseconds for which the answer is shown again. Absent: as long as it is kept. */
  readonly shownForMs?: number
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** No request takes as long: one that began earlier and never ended died with its process. */
const LONGEST_MS = 60_000

/**
 * What `work` answers, or answered before. A refusal is not kept. Throws {@link RequestError} `idempotency-key-reused`
 * and `idempotency-key-busy`, and what `work` throws.
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
    // If even this fails, the request is taken over once it can no longer run.
    await repeats.forget(key).catch(() => undefined)
    throw error
  }
}

interface Repeated {
  readonly key: RepeatKey
  readonly asked: Asked
  readonly digest: string
}

/** Undefined if the request has to be done, after all. */
async function answeredBefore(
  { key, asked, digest }: Repeated,
  { repeats, keyring, clock }: Stores,
): Promise<Answer | undefined> {
  const kept = await repeats.find(key)
  // It was refused a moment ago.
  if (!kept) {
    if (await repeats.begin(key, { digest, at: clock() })) return undefined
    throw busy()
  }
  if (kept.digest !== digest) {
    throw new RequestError(
      'idempotency-key-reused',
      'This Idempotency-Key was sent with another request before, or by another login. Use a new one for each request.',
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
    'The first request with this Idempotency-Key is still running. Ask again in a second.',
  )

const notShown = () =>
  new RequestError(
    'idempotency-key-reused',
    'The answer to this Idempotency-Key is not shown any more. Use a new key for a new request.',
  )

/** Only this account with this key opens the answer. Neither has a space. */
const purposeOf = ({ accountId, key }: Asked): string => `kept answer ${accountId} ${key}`
