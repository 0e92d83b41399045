/**
 * Compares pending devices with an inventory, over the management API. Approves those in the inventory, and names or
 * rejects the others. Run it every minute, as an agent whose account has the role device-approver for the brand
 * (docs/administration.md, "Programs").
 *
 *   RATAFIA_URL=https://store.example.org RATAFIA_AGENT_FILE=agent.json \
 *     node provision.ts BRAND/MODEL INVENTORY.csv [--reject REASON]
 *
 * INVENTORY.csv has a serial number on each line, under the header "serial". The program uses HTTP, and from a library
 * only `dischargeAll` and encoders, which every bakery client has.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { encodeBase64, encodeBinary } from '@ratafia/macaroon'
import {
  type BakeryMacaroon,
  decodeBakeryMacaroon,
  decodeKey,
  dischargeAll,
  formatMacaroonsHeader,
  keyPairFromPrivateKey,
} from '@ratafia/macaroon/bakery'

/** JSON from the service. Its OpenAPI document describes the fields that are read here. */
type Json = Readonly<Record<string, unknown>>

const { positionals, values } = parseArgs({ allowPositionals: true, options: { reject: { type: 'string' } } })
const [model = '', inventoryFile = ''] = positionals
const { RATAFIA_URL: service = '', RATAFIA_AGENT_FILE: agentFile = '' } = process.env
if (positionals.length !== 2 || service === '' || agentFile === '') {
  process.stderr.write('usage: provision.ts BRAND/MODEL INVENTORY.csv [--reject REASON]\n')
  process.exit(2)
}
// The service's refusals are written for people, so print only the message.
process.once('uncaughtException', ({ message }) => {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
})

const api = `${service.replace(/\/+$/, '')}/api/management/v1`
const agent = JSON.parse(readFileSync(agentFile, 'utf8'))
const inventory = new Set(readFileSync(inventoryFile, 'utf8').split(/\r?\n/).slice(1).filter(Boolean))

const token = await logIn()
let others = 0
for await (const device of waiting()) {
  const serial = String(device['serial'])
  if (inventory.has(serial)) {
    await decide(device, 'approve', {})
    say(`approved ${model}/${serial}`)
  } else if (values.reject !== undefined) {
    await decide(device, 'reject', { reason: values.reject })
    say(`rejected ${model}/${serial}`)
  } else {
    others++
    say(`not in the inventory: ${model}/${serial} (${device['id']})`)
  }
}
process.exitCode = others === 0 ? 0 : 1

/** Logs in with a token that expires in ten minutes and can do nothing else, so a stolen one is of little use. */
async function logIn(): Promise<string> {
  const [brand = ''] = model.split('/')
  const wanted = { roles: ['device-approver'], brands: [brand], lifetime: 600, description: 'provision.ts' }
  const root = await send('POST', `${api}/tokens/root`, { body: wanted })
  const slice = await dischargeAll(
    decodeBakeryMacaroon(JSON.parse(String(root.json['macaroon']))),
    ({ id, location }) => discharge(id, location),
  )
  const headers = { macaroons: formatMacaroonsHeader(slice) }
  const { json } = await send('POST', `${api}/tokens/exchange`, { headers, body: {} })
  return String(json['macaroon'])
}

/**
 * Gets a discharge from the identity service as an agent. The service answers with a login URL, the login URL with a
 * macaroon that only the agent's key can discharge, and the service accepts the discharged macaroon as proof.
 */
async function discharge(id: Uint8Array, location: string): Promise<BakeryMacaroon> {
  const place = location.replace(/\/+$/, '')
  const known = agent.agents.find(({ url }: { url: string }) => url.replace(/\/+$/, '') === place)
  if (!known) throw new Error(`${agentFile} has no agent for ${place}`)
  const keyPair = keyPairFromPrivateKey(decodeKey(agent.key.private))
  const id64 = encodeBase64(id)
  const asked = await post(`${place}/discharge`, { id64 })
  const methods = (asked['Info'] as Json | undefined)?.['InteractionMethods'] as Json | undefined
  const { 'login-url': loginUrl } = (methods?.['agent'] ?? {}) as Json
  const url = new URL(String(loginUrl))
  url.searchParams.set('username', known.username)
  url.searchParams.set('public-key', encodeBase64(keyPair.publicKey))
  const { json } = await send('GET', url.href, { headers: { 'bakery-protocol-version': '3' } })
  const elsewhere = () => Promise.reject(new Error('an agent needs only its key to log in'))
  const login = await dischargeAll(decodeBakeryMacaroon(json['macaroon']), elsewhere, {
    localKeyPair: keyPair,
  })
  const token64 = encodeBase64(encodeBinary(...login))
  const answer = await post(`${place}/discharge`, { id64, 'token-kind': 'agent', token64 })
  return decodeBakeryMacaroon(answer['Macaroon'])
}

/** Sends a form to the identity service, which answers 401 with the ways to log in. */
async function post(url: string, parameters: Readonly<Record<string, string>>): Promise<Json> {
  const headers = { 'bakery-protocol-version': '3' }
  const response = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(parameters) })
  const json = (await response.json()) as Json
  if (response.ok || json['Code'] === 'interaction required') return json
  throw new Error(`${new URL(url).pathname}: ${json['Message']}`)
}

/** Yields the pending devices, page by page. A short or empty page need not be the last one. */
async function* waiting(): AsyncGenerator<Json> {
  const query = new URLSearchParams({ model, status: 'pending', sort: 'registered', limit: '100' })
  for (;;) {
    const { json } = await send('GET', `${api}/devices?${query}`, { headers: authorization() })
    yield* json['devices'] as readonly Json[]
    if (typeof json['next'] !== 'string') return
    query.set('cursor', json['next'])
  }
}

/** Approves or rejects a device. If it changed since it was read, the answer is 412, and the next run retries. */
async function decide(device: Json, verb: 'approve' | 'reject', body: object): Promise<void> {
  const path = `${api}/devices/${device['id']}`
  const { etag } = await send('GET', path, { headers: authorization() })
  const headers = { ...authorization(), 'if-match': etag, 'idempotency-key': randomUUID() }
  await send('POST', `${path}/${verb}`, { headers, body })
}

function authorization(): Readonly<Record<string, string>> {
  return { authorization: `Macaroon ${token}` }
}

interface Sending {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/** Sends a request, and retries if the service is busy. With an `Idempotency-Key`, the service does nothing twice. */
async function send(
  method: 'GET' | 'POST',
  url: string,
  { headers = {}, body }: Sending,
): Promise<{ readonly json: Json; readonly etag: string }> {
  const sent = body && { body: JSON.stringify(body) }
  const type = body && { 'content-type': 'application/json' }
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, { method, headers: { ...type, ...headers }, ...sent })
    const json = (await response.json()) as Json
    if (response.ok) return { json, etag: response.headers.get('etag') ?? '*' }
    if ((response.status !== 429 && response.status !== 503) || tries === 5) {
      const [first] = (json['error_list'] ?? []) as readonly Json[]
      throw new Error(`${new URL(url).pathname}: ${first?.['message'] ?? json['Message'] ?? response.status}`)
    }
    await sleep(1000 * Number(response.headers.get('retry-after') ?? tries))
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
