/** Whether a request is a person's: one that would rather have a page than JSON (RFC 9110, 12.5.1). */
import type { IncomingMessage } from 'node:http'
import Negotiator from 'negotiator'

/** The first wins a tie: a program that takes either, or says nothing, gets JSON. */
const TYPES = ['application/json', 'text/html']

export const prefersPage = ({ raw }: { readonly raw: Pick<IncomingMessage, 'headers'> }): boolean =>
  new Negotiator(raw).mediaType(TYPES) === 'text/html'
