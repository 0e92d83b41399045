/**
 * One address for one thing. The router decodes a path before it compares, so that `/api/%6danagement` would be a second
 * address of `/api/management`, past every rule of a proxy that compares texts.
 */
import type { FastifyRequest } from 'fastify'

/** A request whose route was found. */
type Routed = Pick<FastifyRequest, 'url' | 'params' | 'routeOptions'>

/**
 * Whether the path is written as its route is (`/accounts/:id`): the fixed parts letter for letter, and something in
 * place of each parameter.
 */
export function isAsInRoute({ url, params, routeOptions: { url: route = '' } }: Routed): boolean {
  if (lacksParameter(params)) return false
  // Nearly every request ends here. The router takes `#` for the end of a path.
  if (!url.includes('%') && !url.includes('#')) return true
  const [path = ''] = url.split('?', 1)
  const parts = pathIn(path).split('/')
  return route.split('/').every((part, at) => isVariable(part) || part === parts[at])
}

/** The router takes `/accounts/` for an account without an id. */
export function lacksParameter(params: unknown): boolean {
  const parameters = params as Readonly<Record<string, string>>
  for (const name in parameters) if (name !== '*' && parameters[name] === '') return true
  return false
}

const isVariable = (part: string): boolean => part.startsWith(':') || part === '*'

/** Without the scheme and host of an absolute URL, which a request line may have (RFC 9112, 3.2.2). */
const pathIn = (path: string): string => path.replace(/^https?:\/\/[^/]*/i, '')

/** Why there is nothing at this path, if it is nearly one that has something. */
export function nearlyRight(path: string): string | undefined {
  if (path.includes('//')) {
    return 'It has two slashes in a row: if the address that the client was given ends with a slash, remove that slash.'
  }
  return undefined
}
