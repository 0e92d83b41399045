/** A service that a command administers over HTTP: its requests, and what becomes of them. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import { ServiceAway, ServiceRefusal } from '../context.ts'
import { type Answer, ask, NoAnswer, strangeAnswer, unexplained } from '../login/ask.ts'
import { MANAGEMENT_PATH } from './paths.ts'

/** A row of the table of operations. */
export interface ServiceOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
}

export interface Asking {
  /** For `:id` in the path. */
  readonly id?: string
  /** For the other parameters of the path. */
  readonly names?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  readonly body?: object
  /** Instead of a body: a piece of a file. */
  readonly bytes?: Uint8Array
  /** The `ETag` of what the person saw. */
  readonly ifMatch?: string | undefined
}

export interface Found {
  readonly record: JsonObject
  readonly etag: string | undefined
}

type AskingForMany = Asking & { readonly most: number }

/** Some records of a list. */
export interface ListPart {
  readonly records: readonly JsonObject[]
  /** Others follow. */
  readonly more: boolean
}

export interface Service {
  readonly url: string
  /** Throws `ServiceRefusal` with the code of the API, or `ServiceAway`. */
  call(operation: ServiceOperation, asking?: Asking): Promise<Found>
  /** Page by page, until `most` records of the list `name` are there. Throws as `call` does. */
  pages(operation: ServiceOperation, name: string, asking: AskingForMany): AsyncIterable<ListPart>
  /** The same, together. */
  list(operation: ServiceOperation, name: string, asking: AskingForMany): Promise<ListPart>
  /** The lines of an answer that the service sends while it reads it. Throws as `call` does. */
  lines(operation: ServiceOperation, asking?: Asking): AsyncIterable<string>
}

/** What gives a request its token, and what to do when the service asks for a login of just now. */
export interface Bearer {
  readonly token: string
  /** Undefined where nobody can be asked. */
  readonly renew: (() => Promise<string>) | undefined
}

const TRIES = 3
const PAUSE_MS = 1_000
/** Records of one answer, and its bytes: a record may have some thousand. */
export const PAGE = 250
const MOST_BYTES = 4 * 1024 * 1024

export function serviceAt(url: string, bearer: Bearer): Service {
  let { token } = bearer
  const send = async (operation: ServiceOperation, asking: Asking): Promise<Answer> => {
    const key = operation.method === 'GET' ? undefined : randomUUID()
    for (let tries = 1; ; tries++) {
      try {
        return await ask(addressOf(url, operation, asking), question(operation, asking, { token, key }))
      } catch (error) {
        // The same key: whatever became of the first request, it is not done twice.
        if (!(error instanceof NoAnswer) || tries === TRIES) throw error
        await sleep(PAUSE_MS * tries)
      }
    }
  }
  const call = async (operation: ServiceOperation, asking: Asking = {}): Promise<Found> => {
    let answer = await send(operation, asking)
    if (bearer.renew && codeOf(answer) === 'recent-sign-in-required') {
      token = await bearer.renew()
      answer = await send(operation, asking)
    }
    const { status, headers, body } = answer
    if (status >= 200 && status < 300 && body) return { record: body, etag: headers.get('etag') ?? undefined }
    throw refusal(answer)
  }
  async function* pages(
    operation: ServiceOperation,
    name: string,
    { most, ...asking }: AskingForMany,
  ): AsyncGenerator<ListPart> {
    let cursor: string | undefined
    for (let left = most; ; ) {
      const limit = Math.min(PAGE, left)
      const { record } = await call(operation, { ...asking, query: { ...asking.query, limit, cursor } })
      const { [name]: items, next } = record
      if (!Array.isArray(items) || !(next === null || typeof next === 'string')) {
        throw strangeAnswer(addressOf(url, operation, asking), `no list of ${name}`)
      }
      const records = items.filter(isObject)
      yield { records, more: next !== null }
      left -= records.length
      if (next === null || left <= 0) return
      cursor = next
    }
  }
  return {
    url,
    call,
    async *lines(operation, asking = {}) {
      const { linesOf } = await import('./lines.ts')
      const lines = await linesOf(
        addressOf(url, operation, asking),
        question(operation, asking, { token, key: undefined }),
      )
      if ('status' in lines) throw refusal(lines)
      yield* lines
    },
    pages,
    list: async (operation, name, asking) => {
      const records: JsonObject[] = []
      let more = false
      for await (const part of pages(operation, name, asking)) {
        records.push(...part.records)
        more = part.more
      }
      return { records, more }
    },
  }
}

function addressOf(
  url: string,
  { path }: ServiceOperation,
  { id = '', names = {}, query = {} }: Asking,
): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    segmentOf(name === 'id' ? id : (names[name] ?? '')),
  )
  const address = new URL(`${url}${MANAGEMENT_PATH}${filled}`)
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) address.searchParams.append(name, String(one))
  }
  return address.href
}

/** Throws `ServiceRefusal` for what would lead to another path. */
function segmentOf(name: string): string {
  if (name !== '.' && name !== '..') return encodeURIComponent(name)
  throw new ServiceRefusal(`There is nothing with the name ${name}.`, { code: 'no-such-record' })
}

const question = (
  { method }: ServiceOperation,
  { body, bytes, ifMatch }: Asking,
  { token, key }: { readonly token: string; readonly key: string | undefined },
) => ({
  method,
  most: MOST_BYTES,
  ...(body ? { body: JSON.stringify(body) } : {}),
  ...(bytes ? { body: Buffer.from(bytes) } : {}),
  headers: {
    authorization: `Macaroon ${token}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...(bytes ? { 'content-type': 'application/octet-stream' } : {}),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
  },
})

const firstError = ({ body = {} }: Answer): JsonObject => {
  const [first]: readonly unknown[] = Array.isArray(body['error_list']) ? body['error_list'] : []
  return isObject(first) ? first : {}
}

const codeOf = (answer: Answer): unknown => firstError(answer)['code']

/** In the service's words, which a command on the database says too. */
function refusal(answer: Answer): ServiceRefusal | ServiceAway {
  const { code, message, extra } = firstError(answer)
  const { status } = answer
  const said = typeof message === 'string' && message !== '' ? message.slice(0, 2000) : undefined
  if (said === undefined) return unexplained(answer)
  if (status === 429 || status >= 500) return new ServiceAway(said)
  return new ServiceRefusal(said, {
    ...(typeof code === 'string' ? { code: code.slice(0, 64) } : {}),
    ...(isObject(extra) ? { extra } : {}),
  })
}
