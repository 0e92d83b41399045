/** `GET /health/live`: the process answers. `GET /health/ready`: it can take requests. For load balancers. */
import type { FastifyInstance } from 'fastify'
import { Unavailable } from '../errors.ts'
import { sendRefusal } from './errors/answer.ts'
import { refusal } from './errors/refusal.ts'

const LIVE = '/health/live'
const READY = '/health/ready'

/** Whether `url` is a health check, with or without the path of the base URL (`/store`). */
export function isHealthCheck(url = '', basePath = ''): boolean {
  // Every request comes here.
  if (!url.includes('/health/')) return false
  const [path = ''] = url.split('?', 1)
  return [LIVE, READY].some((check) => path === check || path === basePath + check)
}

/** `unready` returns a sentence that says why this process takes no requests; undefined while it does. */
export function healthRoutes(app: FastifyInstance, unready: () => Promise<string | undefined>): void {
  // These come every second: log them only when something is wrong.
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
 * For all requests but health checks, which say why themselves. `why` returns a sentence for the log while they are
 * refused, with a 503; undefined otherwise.
 */
export function refuseWhile(app: FastifyInstance, why: () => string | undefined): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const reason = isHealthCheck(request.url) ? undefined : why()
    if (reason === undefined) done()
    else done(new Unavailable(reason))
  })
}
