/**
 * Exchanges an ID token with openid-client, and uses the token it gets. The argument is the service's address. Reads
 * one JSON command per line, and writes one JSON answer per line.
 */
import { createInterface } from 'node:readline'
import * as client from 'openid-client'

const [service] = process.argv.slice(2)

async function exchange({ token }) {
  const config = await client.discovery(new URL(service), 'a-job', undefined, client.None(), {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests],
  })
  const tokens = await client.genericGrantRequest(config, 'urn:ietf:params:oauth:grant-type:token-exchange', {
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  })
  const whoami = new URL('/api/v2/tokens/whoami', service)
  const { status, body } = await client.fetchProtectedResource(config, tokens.access_token, whoami, 'GET')
  return { status, body: await new Response(body).json() }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const answer = await exchange(JSON.parse(line)).catch(({ name, message, error }) => ({
    error: name,
    message,
    code: error,
  }))
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
