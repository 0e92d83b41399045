// Serves better-auth's API keys on PostgreSQL, verified by its own endpoint function behind node:http. It looks up
// the key by its hash, and checks that it is enabled and has not expired. Its limit per key is off, because ours
// counts addresses. Its write at each use (the time of the last use) stays on, as its users have it. A revoked key is
// deleted at once. Writes the requested number of keys to the file of its first argument, a line each, and then
// listens.
import { createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import { apiKey } from '@better-auth/api-key'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import pg from 'pg'

const [, , file, count] = process.argv
const options = {
  baseURL: 'http://127.0.0.1',
  secret: 'a-secret-of-thirty-two-letters-and-more',
  database: new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 }),
  emailAndPassword: { enabled: true },
  telemetry: { enabled: false },
  plugins: [apiKey({ rateLimit: { enabled: false } })],
}
const { runMigrations } = await getMigrations(options)
await runMigrations()
const auth = betterAuth(options)
const { user } = await auth.api.signUpEmail({
  body: { name: 'A Person', email: 'person@example.com', password: 'a-long-password' },
})
const keys = createWriteStream(file)
for (let at = 0; at < Number(count); at++) {
  const { key } = await auth.api.createApiKey({ body: { userId: user.id, expiresIn: 86_400 } })
  keys.write(`${key}\n`)
}
await new Promise((resolve) => keys.end(resolve))

const server = createServer(async (request, response) => {
  const { valid, key } = await auth.api.verifyApiKey({ body: { key: request.headers['x-api-key'] ?? '' } })
  response.writeHead(valid ? 200 : 401, { 'content-type': 'application/json' })
  response.end(JSON.stringify(valid ? { account: key.referenceId ?? key.userId } : { account: null }))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`)
})
