/**
 * The docs site as one file of JSON: each file of the site by its path, compressed. The build packs it; the service
 * serves it from memory, so that no path of a request ever reaches the disk.
 */
import { extname } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { tagOf } from '../management/etag.ts'
import type { Packed } from './send-document.ts'

/** All types of files that a site can have, by the ending of their names. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.jpg', 'image/jpeg'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
])

/** The files of a site by path, such as `ci/rules.html`. */
export type DocsSite = ReadonlyMap<string, Packed>

/** Packs a site. The same files give the same bytes. Throws a TypeError for a file whose type is not in the list. */
export function packSite(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const entries = [...files].map(([path, bytes]) => {
    if (!TYPES.has(extname(path))) throw new TypeError(`a docs site cannot have a file like ${path}`)
    return [path, gzipSync(bytes, { level: 9 }).toString('base64')] as const
  })
  return Buffer.from(JSON.stringify(Object.fromEntries(entries)))
}

/** Reads what {@link packSite} wrote. Throws an Error for anything else. */
export function readSite(packed: Uint8Array): DocsSite {
  const entries: Readonly<Record<string, string>> = JSON.parse(Buffer.from(packed).toString())
  return new Map(
    Object.entries(entries).map(([path, text]) => {
      const bytes = Buffer.from(text, 'base64')
      const type = TYPES.get(extname(path))
      if (type === undefined) throw new Error(`The docs site has a file of an unknown type: ${path}`)
      return [path, { type, etag: tagOf(bytes), packed: bytes, plain: () => gunzipSync(bytes) }]
    }),
  )
}
