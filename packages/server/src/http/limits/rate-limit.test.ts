import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { parseRateLimits } from '../../config/rate-limits.ts'
import { localCounters } from '../../limits/counters.ts'
import { limitRates } from './rate-limit.ts'

test('security: refuses to add a route without a limit', () => {
  const clock = () => new Date()
  const app = fastify()
  limitRates(app, { counters: localCounters({ clock }), limits: parseRateLimits('pages=1/1h'), clock })
  const add = (url: string, config: object) => app.get(url, { config }, async () => '')
  const right = [{ limit: 'pages' }, { limit: 'none' }, { credentials: true }, { failures: 'oidc' }]
  for (const [at, config] of right.entries()) add(`/${at}`, config)
  const mistake = { name: 'TypeError', message: 'the route /more does not name a limit' }
  assert.throws(() => add('/more', {}), mistake)
  assert.throws(() => add('/more', { anyQuery: true }), mistake)
})
