/**
 * The line of a request in the log. It has no headers, no query string and no raw path, because any of them may carry a
 * token: where no route matches, a client may have put one anywhere.
 */
export interface AccessLine {
  readonly method: string
  /** The pattern of the route; null when none matches. */
  readonly route: string | null
  /** Only when no route matches: the beginning of the path, as far as it is plain words. */
  readonly path?: string
  /** 499: the client left before the answer. */
  readonly status: number
  readonly refusal?: string
  /** Milliseconds. */
  readonly ms: number
  /** Size of the answer's body. */
  readonly bytes: number
  readonly address: string
  /** Id of the trace, if the request is traced. */
  readonly trace?: string
}

const SEGMENTS = 4

/**
 * The part of a path that cannot be a credential: up to four segments of short lower-case words. The rest becomes `…`.
 * Tokens and keys are long, have capitals, or both.
 */
export function plainPath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  if (!path.startsWith('/')) return '…'
  const segments = path.split('/').slice(1)
  const plain = segments.findIndex(
    (segment, at) => at >= SEGMENTS || !/^[a-z][a-z0-9._-]{0,23}$|^$/.test(segment),
  )
  return plain < 0 ? path : `/${[...segments.slice(0, plain), '…'].join('/')}`
}
