// examples/tls/own-ca: the service with a certificate of its own authority, and curl as its client.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Installation, newInstallation } from './support/installation.ts'
import { clientPaths } from './support/paths.ts'
import { type Service, startService } from './support/service.ts'

const HOST = 'store.example.internal'
let installation: Installation
let service: Service
let directory: string

const own = (...words: readonly string[]) => {
  const script = join(clientPaths.root, 'examples/tls/own-ca')
  const { status, stderr } = spawnSync('sh', [script, ...words], { cwd: directory, encoding: 'utf8' })
  return { status, stderr }
}
const at = (name: string) => join(directory, name)

before(async () => {
  installation = await newInstallation('sqlite')
  directory = join(installation.directory, 'own-ca')
  mkdirSync(directory)
  const { status, stderr } = own(HOST, 'IP:127.0.0.1')
  assert.equal(status, 0, stderr)
  Object.assign(installation.environment, {
    RATAFIA_TLS_CERT: at(`${HOST}.pem`),
    RATAFIA_TLS_KEY: at(`${HOST}.key`),
  })
  service = await startService(installation)
})
after(async () => {
  await service?.stop()
  await installation?.remove()
})

test('a client that trusts the authority reaches the service by name and by address, and no other host', () => {
  const { port } = new URL(service.url)
  const curl = (url: string, ...words: readonly string[]) =>
    spawnSync('curl', ['-sS', '--noproxy', '*', '--resolve', `*:${port}:127.0.0.1`, ...words, url], {
      encoding: 'utf8',
    })
  const trusting = ['--cacert', at('ca.pem')]
  for (const host of [HOST, '127.0.0.1']) {
    const { stdout, stderr } = curl(`https://${host}:${port}/health/ready`, ...trusting)
    assert.equal(stdout, '{"status":"ready"}', stderr)
  }
  const other = curl(`https://other.example.internal:${port}/`, ...trusting)
  assert.match(other.stderr, /does not match|no alternative certificate subject name/)
  assert.equal(curl(`https://${HOST}:${port}/`).status, 60, 'trusted without the authority')
})

test('the authority stays the same, its key is private, and a certificate can sign no others', () => {
  const authority = ['ca.pem', 'ca.key'].map((name) => readFileSync(at(name), 'utf8'))
  assert.equal(own('other.example.internal').status, 0)
  assert.deepEqual(
    ['ca.pem', 'ca.key'].map((name) => readFileSync(at(name), 'utf8')),
    authority,
  )
  for (const name of readdirSync(directory)) assert.equal(statSync(at(name)).mode & 0o077, 0, name)
  const { stdout } = spawnSync('openssl', ['x509', '-in', at(`${HOST}.pem`), '-noout', '-purpose'], {
    encoding: 'utf8',
  })
  assert.match(stdout, /^SSL server : Yes$/m)
  assert.match(stdout, /^SSL server CA : No$/m)
  assert.match(own().stderr, /Usage: own-ca HOST/)
})
