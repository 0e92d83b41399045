/** Checks whether a request was protected from eavesdropping on the network. */
import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../addresses/address.ts'

/**
 * This service speaks plain HTTP, so a request was encrypted only if a trusted proxy reports it, for each hop
 * that it knows of. A request from this machine does not cross a network.
 */
export function arrivedInSecret({ client, headers }: Pick<FastifyRequest, 'client' | 'headers'>): boolean {
  if (isLoopback(client.address)) return true
  if (!client.byTrustedProxy) return false
  const schemes = String(headers['x-forwarded-proto'] ?? '').split(',')
  return schemes.every((scheme) => scheme.trim().toLowerCase() === 'https')
}
