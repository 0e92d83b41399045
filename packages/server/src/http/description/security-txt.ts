/** `GET /.well-known/security.txt`: who to tell about a vulnerability of this installation (RFC 9116). */
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../clock.ts'

export interface SecurityFacts {
  readonly baseUrl: string
  /** URIs; without any, the answer is 404, as for any unknown path. */
  readonly contacts: readonly string[]
  readonly clock: Clock
}

/** The time after which readers should fetch the file again. RFC 9116 recommends less than a year. */
const VALID_MS = 90 * 24 * 60 * 60_000

export function securityTxt(app: FastifyInstance, { baseUrl, contacts, clock }: SecurityFacts): void {
  if (contacts.length === 0) return
  const path = '/.well-known/security.txt'
  app.get(path, { config: { limit: 'pages' } }, async (_request, reply) => {
    const expires = new Date(clock().getTime() + VALID_MS).toISOString()
    const lines = [
      ...contacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${expires}`,
      `Canonical: ${baseUrl}${path}`,
    ]
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`)
  })
}
