/**
 * The version of a record: a strong `ETag` of its bytes as sent, so that no table needs a column for it
 * (contract/administration.md, A10).
 */
import { hash } from 'node:crypto'
import { invalidRequest, RequestError } from '../../errors.ts'

/** Returns the tag of the record's JSON. */
export const etagOf = (record: object): string => tagOf(JSON.stringify(record))

/** Returns 128 bits of SHA-256. */
export const tagOf = (content: string | Buffer): string =>
  `"${Buffer.from(hash('sha256', content, 'buffer').subarray(0, 16)).toString('base64url')}"`

const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]{0,128}"$/
const MOST = 16

/** Returns the tags of `If-Match` or `If-None-Match`; `any` for `*`. Throws {@link RequestError} `invalid-request`. */
function tagsIn(header: string | undefined, name: string): readonly string[] | 'any' | undefined {
  const text = header?.trim()
  if (text === undefined || text === '') return undefined
  if (text === '*') return 'any'
  const tags = text.split(',').map((tag) => tag.trim())
  if (tags.length <= MOST && tags.every((tag) => ETAG.test(tag))) return tags
  throw invalidRequest(`The header ${name} is neither * nor a list of up to ${MOST} entity tags in quotes.`)
}

/**
 * Returns a function that refuses a record other than the one that the caller has seen; undefined if they
 * accept any. With `isRequired`, they must send `*` to accept any. Throws {@link RequestError}
 * `invalid-request` for an unreadable header.
 */
export function matching(
  ifMatch: string | undefined,
  isRequired: boolean,
): ((record: object) => void) | undefined {
  const tags = tagsIn(ifMatch, 'If-Match')
  if (tags === undefined) return isRequired ? refuseUnseen : undefined
  if (tags === 'any') return undefined
  return (record) => {
    const etag = etagOf(record)
    // A weak tag is never the same as a strong one (RFC 9110, 13.1.1).
    if (tags.includes(etag)) return
    throw new RequestError(
      'version-mismatch',
      'The record has changed since you read it. Read it again, then decide again.',
      { extra: { etag } },
    )
  }
}

/** Runs only for a caller who can see the record, because its tag reveals something about it. */
function refuseUnseen(record: object): never {
  throw new RequestError(
    'version-required',
    'This change requires the header If-Match with the ETag of the record that you have seen. Read the record first.',
    { extra: { etag: etagOf(record) } },
  )
}

/** Whether the caller already has this record. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = tagsIn(ifNoneMatch, 'If-None-Match')
  if (tags === undefined) return false
  return tags === 'any' || tags.some((tag) => tag.replace(/^W\//, '') === etag)
}
