/**
 * Schemathesis generates valid and invalid requests from the OpenAPI document, and compares every answer with it.
 * Without credentials it covers the schema of every operation; with them it also follows the links, from a login to
 * its revocation. `interop/openapi/schemathesis.toml` lists its exceptions, with reasons.
 *
 * The seed is fixed, and there are few examples, so that a run takes a minute. For a long run with other seeds:
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
  /** The configuration in `interop/openapi`, with Schemathesis' exceptions. */
  readonly file?: string
  /** The credentials, by the names of the security schemes. */
  readonly credentials?: Readonly<Record<string, string>>
}

const MANAGEMENT: Fuzzed = {
  document: '/api/management/v1/openapi.json',
  file: 'schemathesis-management.toml',
}

onOneDatabase(
  (world) => {
    test('without credentials, every answer is documented', async () => {
      await schemathesis(['--phases', 'coverage'])
    })

    test('every answer of the management API to an operator is documented, and none is a 5xx', async () => {
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

    test('with credentials, every answer is documented, including those along the links from exchange to revocation', async () => {
      const { macaroons, token } = await agentToken(world().service.url, world().agentFile)
      const output = await schemathesis(['--phases', 'examples,fuzzing,stateful'], {
        credentials: { token: `Macaroon ${token}`, macaroons },
      })
      assert.match(output, /API Links: +[1-9]\d* covered/)
    })

    /** Runs Schemathesis and returns its output. Fails with that output if Schemathesis reports a problem. */
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
      // All checks are on by default. `--checks` would enable checks again that the configuration disables.
      const run = ['--config-file', configuration, 'run', `${service.url}${document}`]
      // With more than one worker, Python 3.11 fails to parse its own code.
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
