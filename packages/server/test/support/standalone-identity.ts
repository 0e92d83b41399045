/** An identity service in this process that another service's users sign in with. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { type RunningService, startService } from '../../src/start/service/service.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { cheapPasswords } from './passwords.ts'
import type { TestService } from './service.ts'

/** Starts one on this port before the suite's tests, which returns browsers to the console of `service`. */
export function standaloneIdentity(service: TestService, port: number): () => RunningService {
  const started: { identity?: RunningService; directory?: string } = {}
  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ratafia-identity-'))
    const config = readConfig({
      RATAFIA_PORT: String(port),
      RATAFIA_DATA_DIR: directory,
      RATAFIA_RATE_LIMITS: 'off',
      RATAFIA_IDENTITY_RETURN_TO: `${service.baseUrl}/console/signed-in`,
    })
    const log = createLog({ level: 'silent', pretty: false })
    const how = { config, log, passwords: cheapPasswords(), identityOnly: true, clock: service.now }
    Object.assign(started, { directory, identity: await startService(how) })
  })
  after(async () => {
    await started.identity?.close()
    if (started.directory) await rm(started.directory, { recursive: true, force: true })
  })
  return () => {
    if (!started.identity) throw new Error('the identity service runs only while the tests of its suite do')
    return started.identity
  }
}
