// Checks that both OpenAPI documents have no errors by the rules of Spectral and Redocly.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { type Api, documentsOf } from './support/generated-clients.ts'
import { cleanEnvironment, clientPaths } from './support/paths.ts'
import { onOneDatabase } from './support/world.ts'

const folder = join(clientPaths.interop, 'openapi')

/** The commands of the linters, by their names in titles. */
const LINTERS: Readonly<Record<string, readonly string[]>> = {
  Spectral: [
    'spectral',
    'lint',
    '--ruleset',
    'spectral.yaml',
    '--fail-severity',
    'error',
    '--display-only-failures',
  ],
  Redocly: ['redocly', 'lint', '--config', 'redocly.yaml', '--format', 'stylish'],
}

onOneDatabase((world) => {
  let documents: Readonly<Record<Api, string>>
  before(async () => {
    documents = await documentsOf(world().service.url, 'lint')
  })

  for (const [name, [program = '', ...words]] of Object.entries(LINTERS)) {
    for (const api of ['public', 'management'] as const) {
      test(`${name}: the document of the ${api} API has no errors`, async () => {
        const env = cleanEnvironment({ REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' })
        const run = promisify(execFile)(
          join(folder, 'node_modules/.bin', program),
          [...words, documents[api]],
          {
            cwd: folder,
            env,
            maxBuffer: 16 * 1024 * 1024,
          },
        )
        await assert.doesNotReject(run, (error) => {
          const { stdout, stderr } = error as unknown as { stdout: string; stderr: string }
          return assert.fail(`${stdout}${stderr}`)
        })
      })
    }
  }
})
