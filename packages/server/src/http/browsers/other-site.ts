/** Where a form comes from, as browsers say. */
import type { FastifyRequest } from 'fastify'

/** A second defence, behind SameSite cookies and the form's token. False for a browser that does not say. */
export function isFromOtherSite({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
