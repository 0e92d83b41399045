/** `GET /` (and `HEAD /`): what this service is and where things are; `GET /openapi.json`: all of the API. */
import { openApi, type ServiceDescription, ServiceDescriptionSchema } from '@ratafia/api'
import type { FastifyInstance } from 'fastify'

export function serviceRoutes(app: FastifyInstance, describe: () => ServiceDescription): void {
  app.get('/', { schema: { response: { 200: ServiceDescriptionSchema } } }, async () => describe())
  app.get('/openapi.json', async () => openApi(describe().links['self'] ?? ''))
}
