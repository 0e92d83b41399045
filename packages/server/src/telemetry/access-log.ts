/**
 * The line of a request in the log. It has no headers, no query string and no raw path: any of them may carry a token,
 * and where no route fits a client may have put one anywhere.
 */
export interface AccessLine {
  readonly method: string
  /** The pattern of the route; null where none fits. */
  readonly route: string | null
  /** Where none fits: the beginning of the path, as far as it is plain words. */
  readonly path?: string
  /** 499: the client was gone before the answer. */
  readonly status: number
  readonly refusal?: string
  /** Milliseconds. */
  readonly ms: number
  /** Of the body of the answer. */
  readonly bytes: number
  readonly address: string
  /** Of the trace, where there is one. */
  readonly trace?: string
}

const SEGMENTS = 4

/**
 * As much of a path as cannot be a credential: up to four segments that are short words in lower case. What follows is
 * `…`. Tokens and keys are long, or have capitals, or both.
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
