/** Whether nobody on the network could read a request. */
import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../addresses/address.ts'

/**
 * This service speaks plain HTTP: a request was encrypted if a trusted proxy says so, for each hop that it knows of.
 * From this very machine, nobody is in between.
 */
export function arrivedInSecret({ client, headers }: Pick<FastifyRequest, 'client' | 'headers'>): boolean {
  if (isLoopback(client.address)) return true
  if (!client.byTrustedProxy) return false
  const schemes = String(headers['x-forwarded-proto'] ?? '').split(',')
  return schemes.every((scheme) => scheme.trim().toLowerCase() === 'https')
}
