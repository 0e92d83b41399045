/** `GET /v2/assertions/{type}/{key…}` and its `HEAD`: HTTP in, operation, HTTP out. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { OPERATIONS } from '@ratafia/api/schemas'
import type { FastifyInstance } from 'fastify'
import type { TransactionStores } from '../../stores.ts'
import { findPublicAssertion } from './find-assertion.ts'

interface Parameters {
  /** Percent-decoded, like the rest. */
  readonly type: string
  readonly '*': string
}

export async function assertionRoutes(app: FastifyInstance, stores: TransactionStores): Promise<void> {
  const { path, query, responseType } = OPERATIONS.assertion
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const options = { schema: { querystring: query }, config: { limit: 'assertions' } } as const
  typed.get(path, options, async (request, reply) => {
    // The path of the operation has both parameters.
    const { type, '*': rest } = request.params as Parameters
    const encoded = await findPublicAssertion(
      { type, key: keyOf(request.url, rest), maxFormat: request.query['max-format'] },
      stores,
    )
    return reply.header('content-type', responseType).send(encoded)
  })
}

/** An encoded slash is part of a value. No value of a primary key contains one, so such a key matches nothing. */
function keyOf(url: string, rest: string): readonly string[] {
  const [path = ''] = url.split(/[?#]/, 1)
  return /%2f/i.test(path) ? [] : rest.split('/')
}
