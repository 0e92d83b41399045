/**
 * `Idempotency-Key`: a request that is sent again, because its answer got lost, gets the first answer and changes
 * nothing more (contract/administration.md, A12).
 */
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Authority } from '../../authority.ts'
import { invalidField } from '../../errors.ts'

/** An answer as it is sent, and as it is kept for a request that comes again. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
}

/** What is asked for, by whom. */
interface Repeatable {
  readonly accountId: string
  readonly key: string
  /** Of all that makes the request what it is, its caller too: SHA-256 in hexadecimal. */
  readonly digest: string
  /** Milliseconds for which the answer is shown again, because it has a secret. Absent: as long as it is kept. */
  readonly shownForMs?: number
}

/**
 * The answer of `work`, or the one that it gave before. Throws `idempotency-key-reused` for another request or another
 * caller with this key, and `idempotency-key-busy` while the first one runs.
 */
export type AnswerOnce = (request: Repeatable, work: () => Promise<Answer>) => Promise<Answer>

/** Enough for a client that lost the answer (contract/administration.md, A12). */
const SECRET_SHOWN_MS = 10 * 60_000

const KEY = /^[\x21-\x7e]{16,64}$/

/** Without a key, `work` is done. Throws {@link RequestError} `invalid-field` for a key that is none. */
export async function repeatable(
  request: FastifyRequest,
  { accountId, caller }: Authority,
  { answerOnce, secret = false }: { readonly answerOnce: AnswerOnce; readonly secret?: boolean | undefined },
  work: () => Promise<Answer>,
): Promise<Answer> {
  const key = request.headers['idempotency-key']
  if (key === undefined || accountId === undefined) return work()
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw invalidField(
      'The header Idempotency-Key has 16 to 64 printable characters without spaces, such as a UUID.',
      {
        field: 'header/idempotency-key',
      },
    )
  }
  const { method, url, headers, body } = request
  const said = body instanceof Uint8Array ? hash('sha256', body) : JSON.stringify(body ?? null)
  const parts = [caller, method, url, headers['if-match'] ?? '', said]
  const asked = { accountId, key, digest: hash('sha256', parts.join('\n')) }
  return answerOnce(secret ? { ...asked, shownForMs: SECRET_SHOWN_MS } : asked, work)
}
