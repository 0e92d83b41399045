/**
 * Answers a request once, however often it is sent with one `Idempotency-Key` (contract/administration.md, A12). The
 * answer is kept for a day, sealed under a key that is derived from the `Idempotency-Key`: whoever has the database
 * alone reads none.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { RequestError } from '../../errors.ts'
import type { RepeatKey, RepeatStore } from './repeat-store.ts'

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

interface RepeatDeps {
  readonly repeats: RepeatStore
  readonly clock: Clock
}

/** No request takes as long: one that began earlier and never ended died with its process. */
const LONGEST_MS = 60_000

/**
 * What `work` answers, or answered before. A refusal is not kept. Throws {@link RequestError} `idempotency-key-reused`
 * and `idempotency-key-busy`, and what `work` throws.
 */
export async function answerOnce(
  asked: Asked,
  work: () => Promise<Answer>,
  deps: RepeatDeps,
): Promise<Answer> {
  const { repeats, clock } = deps
  const key: RepeatKey = { accountId: asked.accountId, keyHash: hash('sha256', asked.key) }
  if (!(await repeats.begin(key, { digest: asked.digest, at: clock() }))) {
    const before = await answeredBefore(key, asked, deps)
    if (before) return before
  }
  try {
    const answer = await work()
    const { status, headers } = answer
    await repeats.end(key, { status, headers, sealed: seal(answer.body, asked) })
    return answer
  } catch (error) {
    // If even this fails, the request is taken over once it can no longer run.
    await repeats.forget(key).catch(() => undefined)
    throw error
  }
}

/** Undefined if the request has to be done, after all. */
async function answeredBefore(
  key: RepeatKey,
  asked: Asked,
  { repeats, clock }: RepeatDeps,
): Promise<Answer | undefined> {
  const kept = await repeats.find(key)
  // It was refused a moment ago.
  if (!kept) {
    if (await repeats.begin(key, { digest: asked.digest, at: clock() })) return undefined
    throw busy()
  }
  if (kept.digest !== asked.digest) {
    throw new RequestError(
      'idempotency-key-reused',
      'This Idempotency-Key was sent with another request before. Use a new one for each request.',
    )
  }
  const age = clock().getTime() - kept.startedAt.getTime()
  if (kept.answer) {
    if (age >= (asked.shownForMs ?? Number.POSITIVE_INFINITY)) {
      throw new RequestError(
        'idempotency-key-reused',
        'The answer to this Idempotency-Key had a secret, and is not shown any more. Use a new key for a new request.',
      )
    }
    const { status, headers, sealed } = kept.answer
    return { status, headers: { ...headers, 'idempotent-replayed': 'true' }, body: open(sealed, asked) }
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

const NONCE_BYTES = 12
const TAG_BYTES = 16

const sealingKey = ({ accountId, key }: Asked): Uint8Array =>
  Buffer.from(hkdfSync('sha256', key, accountId, 'ratafia kept answer', 32))

function seal(body: string, asked: Asked): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(asked), nonce)
  return Buffer.concat([nonce, cipher.update(body, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

function open(sealed: Uint8Array, asked: Asked): string {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(asked), bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
  const body = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES))
  return Buffer.concat([body, decipher.final()]).toString('utf8')
}
