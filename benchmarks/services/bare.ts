/** The limit of our routes: a bare Fastify with the same schemas and the responses of {@link ANSWERS}. */
import { OPERATIONS } from '@ratafia/api/schemas'
import Fastify from 'fastify'

/** The environment variable with the responses in JSON. */
export const ANSWERS = 'BENCH_ANSWERS'

if (import.meta.main) {
  const answers: Readonly<Record<string, unknown>> = JSON.parse(process.env[ANSWERS] ?? '{}')
  const app = Fastify()
  for (const operation of Object.values(OPERATIONS)) {
    const { method, path, response } = operation
    const answer = answers[`${method} ${path}`]
    if (answer === undefined) continue
    const body = 'body' in operation && method !== 'GET' ? { body: operation.body } : {}
    app.route({
      ...{ method, url: path, schema: { response: { 200: response }, ...body } },
      handler: async () => answer,
    })
  }
  process.stdout.write(`listening on ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
  process.once('SIGTERM', () => process.exit())
}
