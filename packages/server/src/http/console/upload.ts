/**
 * Forms with a file, as browsers send them without a script: `multipart/form-data` (RFC 7578). The body is in memory
 * and within its limit before it is examined. Node's own parser, that of `Response.formData()`, splits it.
 */
import type { FastifyInstance } from 'fastify'
import { invalidRequest } from '../../errors.ts'
import { words } from '../../web/words/en.ts'
import { bodyParser } from '../bodies/read-body.ts'
import { type Fields, fieldsOf } from './fields.ts'

export interface SentFile {
  /** The name that the browser sends. */
  readonly name: string
  readonly bytes: Uint8Array
}

export interface Upload {
  readonly fields: Fields
  /** The file; undefined if the user did not choose one. */
  readonly file: SentFile | undefined
}

/** More than such a form has. The parser creates an object for each part. */
const MOST_PARTS = 24
/**
 * The maximum size of a part's headers in bytes: names of fields and files are short. Node's parser itself
 * has no limit.
 */
const MOST_PART_HEADERS = 4 * 1024
/** RFC 2046 allows 70 characters: these, and some that no browser uses. */
const BOUNDARY = /;\s*boundary="?([0-9A-Za-z'_.-]{1,70})"?\s*(?:;|$)/i

/** `scope` is only for the routes of such forms, which accept nothing else. The limit is the route's `file`. */
export function readUploads(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('multipart/form-data', bodyParser({ parse: (body) => body }))
}

/** Throws `RequestError` `invalid-request` for anything but such a form. */
export async function uploadIn(body: unknown, contentType = ''): Promise<Upload> {
  const [, boundary] = BOUNDARY.exec(contentType) ?? []
  if (!(body instanceof Buffer) || boundary === undefined) throw notWhole()
  requireSmallParts(body, `--${boundary}`)
  const parts = await partsIn(body, boundary)
  const files = parts.filter((part): part is [string, File] => part[1] instanceof File)
  const chosen = files.filter(([, { name, size }]) => name !== '' || size > 0)
  if (chosen.length > 1) throw invalidRequest(words.form.oneFile)
  const [, file] = chosen[0] ?? []
  return {
    fields: fieldsOf(parts.filter((part): part is [string, string] => typeof part[1] === 'string')),
    file: file && { name: file.name, bytes: Buffer.from(await file.arrayBuffer()) },
  }
}

/** Throws for too many parts and for a part with long headers, before the parser sees them. */
function requireSmallParts(body: Buffer, delimiter: string): void {
  let parts = 0
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    if (++parts > MOST_PARTS + 1) throw invalidRequest(words.form.tooManyParts(MOST_PARTS))
    const headers = body.subarray(at + delimiter.length, at + delimiter.length + MOST_PART_HEADERS)
    const isLast = headers.toString('latin1', 0, 2) === '--'
    if (!isLast && !headers.includes('\r\n\r\n')) throw notWhole()
  }
}

async function partsIn(body: Buffer, boundary: string): Promise<[string, string | File][]> {
  try {
    const headers = { 'content-type': `multipart/form-data;boundary=${boundary}` }
    return [...(await new Response(new Uint8Array(body), { headers }).formData())]
  } catch (cause) {
    throw notWhole(cause)
  }
}

const notWhole = (cause?: unknown) => invalidRequest(words.form.notWhole, { cause })
