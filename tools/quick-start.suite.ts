// npm run test:quick-start. Follows the README as a newcomer does: starts the service, creates an account, sends
// requests, stops the service, and starts it again on the same data. Then follows docs/ci.md and docs/own-brand.md. With
// RATAFIA_TEST_PROGRAM, `ratafia` is the one-file program.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { commandsOf } from './docs/page-commands.ts'

const root = join(import.meta.dirname, '..')
const data = mkdtempSync(join(tmpdir(), 'ratafia-quick-start-'))
// Without the caller's settings and on a free port, because the caller may have their own service running.
const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('RATAFIA_'))
const env: Record<string, string | undefined> = {
  ...Object.fromEntries(inherited),
  RATAFIA_DATA_DIR: data,
  RATAFIA_PORT: '0',
}
const program = process.env['RATAFIA_TEST_PROGRAM']
if (program !== undefined) {
  const directory = join(data, 'bin')
  mkdirSync(directory)
  symlinkSync(resolve(root, program), join(directory, 'ratafia'))
  env['PATH'] = `${directory}${delimiter}${env['PATH']}`
}
const [startCommand, startWords] = program === undefined ? ['npm', ['start']] : ['ratafia', ['serve']]
const [command, firstWords] = program === undefined ? ['npx', ['ratafia']] : ['ratafia', []]

let service: ChildProcess | undefined
after(async () => {
  await stop()
  rmSync(data, { recursive: true })
})

/** Starts the service, and returns the address that it prints when it listens. */
async function start(): Promise<string> {
  // A process group of its own, so that stop() also reaches the service that npm starts.
  const started = spawn(startCommand, startWords, {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  service = started
  for await (const line of createInterface({ input: started.stdout, crlfDelay: Infinity })) {
    const [, address] = /^ratafia listening on (http:\/\/\S+)/.exec(line) ?? []
    if (address === undefined) continue
    // Keep reading and discard the rest, so that the service never blocks on a full pipe.
    started.stdout.resume()
    return address
  }
  throw new Error('the service exited before it listened')
}

/** Stops the service like Ctrl-C in a terminal, which signals npm and the service. */
async function stop(): Promise<void> {
  if (service?.pid === undefined || service.exitCode !== null || service.signalCode !== null) return
  const ended = once(service, 'exit')
  process.kill(-service.pid, 'SIGINT')
  await ended
}

/** Stops the service like a service manager, which signals only the process that it started. Returns its exit code. */
async function terminate(): Promise<unknown> {
  assert.ok(service)
  const ended = once(service, 'exit')
  service.kill('SIGTERM')
  const [code] = await ended
  return code
}

const run = (program: string, words: readonly string[], input = '') =>
  spawnSync(program, words, { cwd: root, env, input, encoding: 'utf8' })

function ratafia(input: string, ...words: readonly string[]): string {
  const { status, stdout, stderr } = run(command, [...firstWords, ...words], input)
  assert.equal(status, 0, `ratafia ${words.join(' ')} exited ${status}: ${stderr}`)
  return stdout
}

test('the service keeps its data when it is started again', {
  timeout: 120_000,
}, async () => {
  const address = await start()
  const words = ['accounts', 'add', 'ada', '--email', 'ada@example.com', '--name', 'Ada', '--password-stdin']
  ratafia('a long enough password\n', ...words)

  const answer = await fetch(`${address}/`)
  assert.equal(answer.status, 200)
  const root = await fetch(`${address}/api/v2/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"permissions":["package_access"]}',
  })
  assert.equal(root.status, 200)
  assert.match(await root.text(), /^\{"macaroon":"/)
  assert.equal(await terminate(), 0, 'SIGTERM stops the service, also through npm')
  await assert.rejects(fetch(`${address}/`), 'the service no longer listens')

  const again = await start()
  assert.equal((await fetch(`${again}/`)).status, 200)
  assert.match(ratafia('', 'accounts', 'list'), /\bada\b/)
})

test('with a demo brand, a device can be registered and revoked', {
  timeout: 120_000,
}, async () => {
  await stop()
  const address = await start()
  const directory = join(data, 'demo')
  assert.match(
    ratafia('', 'brands', 'create', '--demo', '--output', directory, '--url', address),
    new RegExp(`ratafia demo device --brand ${directory} ${address}`),
  )
  const device = () => run(command, [...firstWords, 'demo', 'device', '--brand', directory, address])
  const first = device()
  assert.equal(first.status, 0, first.stderr)
  const [, serial] =
    /^Registered: demo-brand\/demo-device\/(\S+), signed by demo-brand\.$/m.exec(first.stdout) ?? []
  assert.ok(serial, first.stdout)
  assert.match(first.stdout, /^Refreshed: /m)

  // The same key gets the same serial.
  assert.ok(device().stdout.includes(`demo-brand/demo-device/${serial},`))
  assert.match(ratafia('', 'devices', 'list'), new RegExp(serial))
  ratafia('', 'devices', 'revoke', '--yes', `demo-brand/demo-device/${serial}`, '--reason', 'lost')
  const last = device()
  assert.notEqual(last.status, 0)
  assert.match(last.stderr, /revoked/)
})

test('the commands of docs/ci.md give a job without a platform a credential', {
  timeout: 120_000,
}, async () => {
  await stop()
  const address = await start()
  const { script } = commandsOf('docs/ci.md', 'Try it without a platform')
  const typed = script.replaceAll('http://127.0.0.1:8080', address)
  const { status, stdout, stderr } = run('bash', [
    '-euc',
    typed.replace(/try-it(?=\/| http)/g, join(data, 'try-it')),
  ])
  assert.equal(status, 0, stderr)
  assert.match(stdout, / ada +developer .* try-it: generic\n/)
  assert.match(stderr, /^Revoked the session \S+\. Its credential no longer works\.$/m)
  assert.match(
    stdout,
    /^Removed the issuer https:\/\/builds\.example with 1 rule, and revoked 0 sessions\.$/m,
  )
})

test('the commands of docs/own-brand.md register a device', { timeout: 120_000 }, async () => {
  await stop()
  const home = join(data, 'home')
  mkdirSync(home)
  Object.assign(env, { RATAFIA_DATA_DIR: join(data, 'own-brand'), HOME: home })
  const address = await start()
  const { script } = commandsOf('docs/own-brand.md')
  const typed = script.replaceAll('http://127.0.0.1:8080', address)
  const { status, stdout, stderr } = run('bash', ['-euc', typed])
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^Registered: acme\/acme-pi\/\S+, signed by acme\.$/m)
  assert.match(stdout, /^Refreshed: /m)
  assert.match(stdout, /\bacme-pi\b.*\bactive\b/)
  assert.equal(statSync(join(home, 'acme/root.pem')).mode & 0o777, 0o600)
  assert.match(readFileSync(join(home, 'acme/store-acme-store'), 'utf8'), /^authority-id: acme-root$/m)
})
