/**
 * The log line of a request. It has no headers, no query string and no raw path, because any of them may contain a
 * token: if no route matches, a client may have put one anywhere.
 */
export interface AccessLine {
  readonly method: string
  /** The pattern of the route; null if none matches. */
  readonly route: string | null
  /** The beginning of the path, as far as it is plain words; only if no route matches. */
  readonly path?: string
  /** 499 if the client disconnected before the answer. */
  readonly status: number
  readonly refusal?: string
  /** The duration in milliseconds. */
  readonly ms: number
  /** Size of the answer's body. */
  readonly bytes: number
  readonly address: string
  /** The id of the trace, if the request is traced. */
  readonly trace?: string
}

const SEGMENTS = 4

/** Returns the part of a path that cannot be a credential: up to four short lower-case words. The rest becomes `…`. */
export function plainPath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  if (!path.startsWith('/')) return '…'
  const segments = path.split('/').slice(1)
  const plain = segments.findIndex(
    (segment, at) => at >= SEGMENTS || !/^[a-z][a-z0-9._-]{0,23}$|^$/.test(segment),
  )
  return plain < 0 ? path : `/${[...segments.slice(0, plain), '…'].join('/')}`
}
