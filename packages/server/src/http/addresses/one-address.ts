/**
 * Each resource has exactly one address. The router decodes a path before it compares, so `/api/%6danagement` would be
 * a second address of `/api/management` and would escape every rule of a proxy that compares strings.
 */
import type { FastifyRequest } from 'fastify'

/** A request whose route was found. */
type Routed = Pick<FastifyRequest, 'url' | 'params' | 'routeOptions'>

/**
 * Whether the path is written like its route (`/accounts/:id`): the fixed parts letter for letter, and a
 * value for each parameter.
 */
export function isAsInRoute({ url, params, routeOptions: { url: route = '' } }: Routed): boolean {
  if (lacksParameter(params)) return false
  // Nearly every request ends here. The router treats `#` as the end of a path.
  if (!url.includes('%') && !url.includes('#')) return true
  const [path = ''] = url.split('?', 1)
  const parts = pathIn(path).split('/')
  return route.split('/').every((part, at) => isVariable(part) || part === parts[at])
}

/** Whether a parameter is empty: the router accepts `/accounts/` as an account without an id. */
export function lacksParameter(params: unknown): boolean {
  const parameters = params as Readonly<Record<string, string>>
  for (const name in parameters) if (name !== '*' && parameters[name] === '') return true
  return false
}

const isVariable = (part: string): boolean => part.startsWith(':') || part === '*'

/** Removes the scheme and host of an absolute URL, which a request line can have (RFC 9112, 3.2.2). */
const pathIn = (path: string): string => path.replace(/^https?:\/\/[^/]*/i, '')

/** Returns what is wrong with a path that nearly leads somewhere; otherwise undefined. */
export function nearlyRight(path: string): string | undefined {
  if (path.includes('//')) {
    return 'It has two slashes in a row: if the address that the client was given ends with a slash, remove that slash.'
  }
  return undefined
}
