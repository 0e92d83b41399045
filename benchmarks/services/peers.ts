/** Starts the peers, each on the server core with its own tokens, and creates the requests that present them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SERVER_CORE } from '../harness/cores.ts'
import type { Prepared } from '../harness/wrk.ts'
import { sharedPostgres } from './postgres.ts'
import { type Running, startProcess } from './process.ts'

export interface Peer {
  readonly name: string
  /** The checks that it makes for each request. */
  readonly checks: string
  readonly stores: string
  readonly tokens: number
  /** Returns its command and environment. It writes its tokens to `file` before it listens. */
  readonly command: (file: string, tokens: number, directory: string) => Promise<Command> | Command
  readonly request: (token: string) => Prepared
}

interface Command {
  readonly words: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly database?: true
}

const HERE = join(import.meta.dirname, '..')
const node = (name: string, file: string, tokens: number) => [
  ...[process.execPath, join(HERE, 'peers', `${name}.js`)],
  ...[file, String(tokens)],
]
const bearing = (path: string, token: string): Prepared => ({
  ...{ method: 'GET', path },
  headers: { Authorization: `Macaroon ${token}` },
})
const SECRET = Buffer.from('store:a-secret-of-the-store').toString('base64')

export const PEERS: readonly Peer[] = [
  {
    name: 'Go bakery',
    checks: 'the macaroon and its conditions; no revocation, no account',
    stores: 'root keys, in memory',
    tokens: 20_000,
    command: (file, tokens) => ({
      words: [join(HERE, '.bin/go-bakery'), file, String(tokens)],
      environment: { GOMAXPROCS: '1' },
    }),
    request: (token) => bearing('/whoami', token),
  },
  {
    name: 'node-oidc-provider',
    checks: 'the secret of the client, the token by look-up, its expiry',
    stores: 'every token, in memory',
    tokens: 20_000,
    command: (file, tokens) => ({ words: node('oidc-provider', file, tokens) }),
    request: (token) => ({
      ...{ method: 'POST', path: '/token/introspection', body: `token=${token}` },
      headers: { Authorization: `Basic ${SECRET}`, 'Content-Type': 'application/x-www-form-urlencoded' },
    }),
  },
  {
    name: 'better-auth',
    checks: 'the key by the look-up of its hash, whether it is enabled, its expiry',
    stores: 'every key on PostgreSQL, and the time of its last use',
    tokens: 2_000,
    command: async (file, tokens, directory) => {
      const server = await sharedPostgres(directory)
      await server.query('drop database if exists better_auth')
      await server.query('create database better_auth')
      const environment = { DATABASE_URL: server.url('better_auth') }
      return { words: node('better-auth', file, tokens), environment, database: true }
    },
    request: (token) => ({ method: 'GET', path: '/', headers: { 'x-api-key': token } }),
  },
  {
    name: 'Python macaroonbakery',
    checks: 'the macaroon and its conditions; no revocation, no account',
    stores: 'root keys, in memory',
    tokens: 2_000,
    command: (file, tokens) => ({
      words: [
        join(HERE, '.venv/bin/gunicorn'),
        ...['--chdir', join(HERE, 'peers/python')],
        ...['--config', join(HERE, 'peers/python/gunicorn.conf.py'), 'bakery_service:app'],
      ],
      environment: { BENCH_TOKENS: file, BENCH_COUNT: String(tokens) },
    }),
    request: (token) => bearing('/', token),
  },
]

export interface StartedPeer extends Running {
  readonly requests: readonly Prepared[]
  readonly databasePids: (() => readonly number[]) | undefined
}

/** Starts a peer. Throws an Error that names `benchmarks/setup` if the peer is not installed. */
export async function startPeer(peer: Peer, directory: string, tokens: number): Promise<StartedPeer> {
  const file = join(directory, `${peer.name.replaceAll(' ', '-')}.tokens`)
  const { words, environment, database } = await peer.command(file, tokens, directory)
  const [program = ''] = words
  if (!existsSync(program)) throw new Error(`${peer.name} is not installed: run benchmarks/setup.`)
  const running = await startProcess({ words, cores: SERVER_CORE, ...(environment && { environment }) })
  const requests = readFileSync(file, 'utf8').trim().split('\n').map(peer.request)
  await checkThatItChecks(peer, running.port, requests)
  const server = database && (await sharedPostgres(directory))
  return { ...running, requests, databasePids: server && (() => [server.pid ?? 0]) }
}

/** Checks that the peer refuses a wrong token, because one that accepts anything would be fast. */
async function checkThatItChecks(peer: Peer, port: number, [good]: readonly Prepared[]): Promise<void> {
  const token = 'AgEMcmF0YWZpYS50ZXN0'
  const bad = peer.request(token)
  const accepts = async (request: Prepared | undefined) => {
    const { method = 'GET', path = '/', headers = {}, body } = request ?? {}
    const options = { method, headers: { ...headers }, ...(body !== undefined && { body }) }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, options)
    return answer.ok && !(await answer.text()).includes('"active":false')
  }
  if (!(await accepts(good)) || (await accepts(bad))) throw new Error(`${peer.name} does not check tokens`)
}
