/** `GET /`. */
import { ServiceDescriptionSchema } from '../service.ts'
import { Type } from '../type.ts'
import type { Described } from './described.ts'
import { headersNamed } from './headers.ts'
import { refusalsOf } from './refusals.ts'

export const describeService = (): Described => ({
  operationId: 'service',
  tags: ['service'],
  summary: 'What this service is, its endpoints, and how its tokens begin',
  responses: {
    200: {
      description: 'Done',
      headers: headersNamed(['Snap-Store-Version']),
      content: {
        'application/json': { schema: ServiceDescriptionSchema },
        'text/html; charset=utf-8': {
          schema: Type.String({ description: 'A page for people, if `Accept` prefers it' }),
        },
      },
    },
    ...refusalsOf({ method: 'GET', credential: 'none', errors: [] }),
  },
  security: [],
})
