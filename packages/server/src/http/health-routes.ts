/** For load balancers. `GET /health/live`: the process answers. `GET /health/ready`: it accepts requests. */
import type { FastifyInstance } from 'fastify'
import { Unavailable } from '../errors.ts'
import { sendRefusal } from './errors/answer.ts'
import { refusal } from './errors/refusal.ts'

const LIVE = '/health/live'
const READY = '/health/ready'

/** Whether `url` is a health check, with or without the path of the base URL (`/store`). */
export function isHealthCheck(url = '', basePath = ''): boolean {
  // Every request passes through here.
  if (!url.includes('/health/')) return false
  const [path = ''] = url.split('?', 1)
  return [LIVE, READY].some((check) => path === check || path === basePath + check)
}

/** `unready` returns a sentence with the reason why this process accepts no requests; undefined while it does. */
export function healthRoutes(app: FastifyInstance, unready: () => Promise<string | undefined>): void {
  // These arrive every second, so they are logged only when something is wrong.
  const quiet = { logLevel: 'warn', config: { anyQuery: true, limit: 'none' } } as const
  let known: string | undefined
  app.get(LIVE, quiet, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'live' }),
  )
  app.get(READY, quiet, async (_request, reply) => {
    const reason = await unready()
    if (reason !== known) {
      if (reason === undefined) app.log.info('ready again')
      else app.log.warn({ reason }, 'not ready')
      known = reason
    }
    reply.header('cache-control', 'no-store')
    if (reason === undefined) return reply.send({ status: 'ready' })
    return sendRefusal(reply, refusal('service-unavailable', reason))
  })
}

/**
 * Refuses all requests with a 503 while `why` returns a sentence for the log; undefined otherwise. Health
 * checks are excepted, because they report the reason themselves.
 */
export function refuseWhile(app: FastifyInstance, why: () => string | undefined): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const reason = isHealthCheck(request.url) ? undefined : why()
    if (reason === undefined) done()
    else done(new Unavailable(reason))
  })
}
