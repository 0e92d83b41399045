// Part of npm run test:helm, because packaging/setup installs what both need. Reads the compose files as `docker compose`
// does, without a container engine.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { VARIABLES } from '../packages/server/src/config/variables.ts'
import { RELEASE } from '../packages/server/src/start/release/release.ts'

interface Service {
  readonly image: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  /** `NAME: value`; of several files, a list of `NAME=value`. */
  readonly environment?: Readonly<Record<string, string>> | readonly string[]
  readonly ports?: readonly { readonly host_ip?: string; readonly published: string }[]
}

/** Returns the services of compose files. Throws an Error if they do not follow the Compose Specification. */
function servicesOf(...files: readonly string[]): Readonly<Record<string, Service>> {
  // Variables stay as written: this program does not read those of its environment.
  const words = ['--no-interpolation', ...files.map((file) => join(import.meta.dirname, file))]
  return parse(execFileSync(join(import.meta.dirname, '.bin/compose-spec'), words, { encoding: 'utf8' }))
    .services
}

for (const files of [['compose.yaml'], ['compose.yaml', 'compose.tls.yaml']]) {
  test(`${files.join(' with ')}: every container is restricted, and only Caddy has a public port`, () => {
    const services = servicesOf(...files)
    for (const [name, service] of Object.entries(services)) {
      assert.equal(service.read_only, true, name)
      assert.deepEqual(service.cap_drop, ['ALL'], name)
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
      if (name === 'caddy') continue
      for (const { host_ip: address } of service.ports ?? []) assert.equal(address, '127.0.0.1', name)
    }
    assert.equal(services['ratafia']?.image, `ratafia:${RELEASE}`)
    const environment = services['ratafia']?.environment ?? []
    const variables = Array.isArray(environment)
      ? environment.map((line: string) => line.replace(/=.*/, ''))
      : Object.keys(environment)
    assert.deepEqual(
      variables.filter((variable) => !(variable in VARIABLES)),
      [],
    )
  })
}
