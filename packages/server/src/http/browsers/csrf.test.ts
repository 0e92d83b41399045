import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fastifyCookie from '@fastify/cookie'
import fastify from 'fastify'
import { cookiesFor } from './cookies.ts'
import { csrfTokens, formCookie } from './csrf.ts'

const app = fastify()
await app.register(fastifyCookie)
csrfTokens(app, formCookie(cookiesFor('https://store.example.com/identity')))
app.get('/identity', async (_request, reply) => [reply.csrf(), reply.csrf()])
app.post<{ Body: { csrf?: string } }>('/identity', async (request) => request.hasCsrf(request.body.csrf))
after(() => app.close())

const NAME = '__Secure-ratafia-form'

async function page(cookie?: string) {
  const answer = await app.inject({ url: '/identity', ...(cookie && { cookies: { [NAME]: cookie } }) })
  const [one = '', two = ''] = answer.json<string[]>()
  return { one, two, set: answer.cookies }
}

const accepts = async (csrf: string | undefined, cookie?: string): Promise<boolean> => {
  const sent = { payload: { csrf }, ...(cookie !== undefined && { cookies: { [NAME]: cookie } }) }
  return (await app.inject({ method: 'POST', url: '/identity', ...sent })).json()
}

test('gives a browser one cookie for all forms, out of reach of scripts and other sites', async () => {
  const { one, two, set } = await page()
  assert.equal(set.length, 1)
  const [{ value = '', ...attributes } = {}] = set
  assert.deepEqual(attributes, {
    ...{ name: NAME, path: '/identity', httpOnly: true, secure: true, sameSite: 'Lax' },
  })
  assert.match(value, /^[\w-]{24}$/)
  for (const token of [one, two]) assert.equal(await accepts(token, value), true)
  assert.deepEqual((await page(value)).set, [], 'the cookie is kept')
})

test('gives each page a different token', async () => {
  const { one, two } = await page('cookie')
  assert.notEqual(one, two)
})

test("Guarantee: accepts only a token created for the browser's cookie", async () => {
  const { one } = await page('cookie')
  assert.equal(await accepts(one, 'cookie'), true)
  for (const other of ['cookiE', '', undefined]) assert.equal(await accepts(one, other), false)
  const [salt = '', mac = ''] = one.split('.')
  const changed = [
    ...[undefined, '', 'x', '.', mac, salt, `.${mac}`, `${salt}.`, `${salt}..${mac}`, `${one}.`, `${one}.x`],
    ...[`${one}A`, one.slice(0, -1), `x${one}`, `${mac}.${salt}`, one.toUpperCase()],
  ]
  for (const token of changed) assert.equal(await accepts(token, 'cookie'), false, token)
})

test('Guarantee: an empty cookie, whose tokens anyone could compute, counts as absent', async () => {
  const { one, set } = await page('')
  assert.equal(set.length, 1)
  assert.equal(await accepts(one, ''), false)
})
