/**
 * Schemathesis makes requests from the OpenAPI document, valid ones and broken ones, and holds every answer against it.
 * Without credentials it covers the schema of every operation; with them it also follows the links, from a login to
 * its revocation. `interop/openapi/schemathesis.toml` says what it leaves out, and why.
 *
 * The seed is fixed, and there are few examples, so that a run takes a minute. For a long one with other seeds:
 *
 *   FUZZ_EXAMPLES=500 FUZZ_SEED=$RANDOM npm run test:interop:file -- interop/fuzz.test.ts
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { agentManagementToken, agentToken } from './support/agent-token.ts'
import { cleanEnvironment, clientPaths } from './support/paths.ts'
import { FARM, onOneDatabase } from './support/world.ts'

const folder = join(clientPaths.interop, 'openapi')
const EXAMPLES = process.env['FUZZ_EXAMPLES'] ?? '4'
const SEED = process.env['FUZZ_SEED'] ?? '1'

interface Fuzzed {
  /** The path of the OpenAPI document. */
  readonly document?: string
  /** What Schemathesis leaves out, in `interop/openapi`. */
  readonly file?: string
  /** By the names of the security schemes. */
  readonly credentials?: Readonly<Record<string, string>>
}

const MANAGEMENT: Fuzzed = {
  document: '/api/management/v1/openapi.json',
  file: 'schemathesis-management.toml',
}

onOneDatabase(
  (world) => {
    test('without credentials, every answer is documented, and none needed any', async () => {
      await schemathesis(['--phases', 'coverage'])
    })

    test('the management API as an operator: every answer is documented, and none is a 5xx', async () => {
      const { installation, service, agentFile } = world()
      await installation.ratafia(['grants', 'add', FARM.username, 'operator', '--with-agent', 'builder'])
      const token = await agentManagementToken(service.url, agentFile)
      await schemathesis(['--phases', 'coverage'], MANAGEMENT)
      const output = await schemathesis(['--phases', 'examples,fuzzing,stateful'], {
        ...MANAGEMENT,
        credentials: { managementToken: `Macaroon ${token}` },
      })
      assert.match(output, /API Links: +[1-9]\d* covered/)
    })

    test('with credentials, and along the links from the exchange to the revocation, too', async () => {
      const { macaroons, token } = await agentToken(world().service.url, world().agentFile)
      const output = await schemathesis(['--phases', 'examples,fuzzing,stateful'], {
        credentials: { token: `Macaroon ${token}`, macaroons },
      })
      assert.match(output, /API Links: +[1-9]\d* covered/)
    })

    /** Fails with what it reports; gives its output. */
    async function schemathesis(
      words: readonly string[],
      { document = '/openapi.json', file = 'schemathesis.toml', credentials = {} }: Fuzzed = {},
    ): Promise<string> {
      const { installation, service } = world()
      const configuration = join(installation.directory, 'schemathesis.toml')
      const auth = Object.entries(credentials).map(
        ([scheme, value]) => `[auth.openapi.${scheme}]\napi_key = ${JSON.stringify(value)}\n`,
      )
      const base = await readFile(join(folder, file), 'utf8')
      await writeFile(configuration, [base, ...auth].join('\n'))
      // Without `--checks`, which would switch on again what the configuration switches off: all are on.
      const run = ['--config-file', configuration, 'run', `${service.url}${document}`]
      // With more than one worker Python 3.11 fails to parse its own code.
      const bounds = ['--workers', '1', '--seed', SEED, '--max-examples', EXAMPLES, '--request-timeout', '20']
      const env = cleanEnvironment({ SCHEMATHESIS_HOOKS: 'fuzz_hooks', PYTHONPATH: folder })
      try {
        const program = join(folder, '.venv/bin/schemathesis')
        const options = { env, cwd: installation.directory, maxBuffer: 64 * 1024 * 1024 }
        return (await promisify(execFile)(program, [...run, ...bounds, ...words], options)).stdout
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
        return assert.fail(`${stdout}${stderr}`)
      }
    }
  },
  { RATAFIA_RATE_LIMITS: 'off' },
)
