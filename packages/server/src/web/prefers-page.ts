/** Checks whether a request comes from a browser, which prefers a page to JSON (RFC 9110, 12.5.1). */
import type { IncomingMessage } from 'node:http'
import Negotiator from 'negotiator'

/** The first one wins a tie, so a program that accepts both, or sends no preference, gets JSON. */
const TYPES = ['application/json', 'text/html']

export const prefersPage = ({ raw }: { readonly raw: Pick<IncomingMessage, 'headers'> }): boolean =>
  new Negotiator(raw).mediaType(TYPES) === 'text/html'
