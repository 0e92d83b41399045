/**
 * `Idempotency-Key`: a request that is sent again, because its answer was lost, gets the first answer and
 * changes nothing more (contract/administration.md, A12).
 */
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Authority } from '../../authority.ts'
import { invalidField } from '../../errors.ts'

/** An answer, as sent and as kept for a repeated request. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
}

/** The parts that identify a repeated request. */
interface Repeatable {
  readonly accountId: string
  readonly key: string
  /** The SHA-256 of everything that identifies the request, including its caller, in hexadecimal. */
  readonly digest: string
  /** How long an answer with a secret is shown again, in milliseconds; absent for as long as the answer is kept. */
  readonly shownForMs?: number
}

/**
 * Returns the answer of `work`, or its earlier answer. Throws `idempotency-key-reused` for another request or
 * caller with this key, and `idempotency-key-busy` while the first request runs.
 */
export type AnswerOnce = (request: Repeatable, work: () => Promise<Answer>) => Promise<Answer>

/** Long enough for a client that lost the answer (contract/administration.md, A12). */
const SECRET_SHOWN_MS = 10 * 60_000

const KEY = /^[\x21-\x7e]{16,64}$/

/** Without a key, runs `work`. Throws {@link RequestError} `invalid-field` for an invalid key. */
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
      'The header Idempotency-Key must have 16 to 64 printable characters without spaces, such as a UUID.',
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
