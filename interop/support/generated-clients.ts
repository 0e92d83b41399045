/** Clients made from the OpenAPI document of a running service, anew for each run, and the programs around them. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { type Driver, start } from './driver.ts'
import { cleanEnvironment, clientPaths } from './paths.ts'

const run = promisify(execFile)
const folder = join(clientPaths.interop, 'openapi')
const generated = join(folder, 'generated')
const npmProgram = (name: string) => join(folder, 'node_modules/.bin', name)
const pythonProgram = (name: string) => join(folder, '.venv/bin', name)

/** Fails with what a generator or the compiler complains about. */
export async function generateClients(service: string): Promise<void> {
  const document = join(generated, 'openapi.json')
  await run('mkdir', ['-p', generated])
  await writeFile(document, await (await fetch(`${service}/openapi.json`)).text())
  await Promise.all([typescript(document), python(document, 'ratafia_client')])
}

/** The folder with the package `ratafia_management`, made from the document of the management API. */
export async function generateManagementClient(service: string): Promise<string> {
  const folder = join(generated, 'management')
  await run('mkdir', ['-p', folder])
  const document = join(folder, 'openapi.json')
  await writeFile(document, await (await fetch(`${service}/api/management/v1/openapi.json`)).text())
  await python(document, join('management', 'ratafia_management'))
  // Undefined names and broken syntax, in whichever module.
  await run(pythonProgram('ruff'), ['check', '--isolated', '--select', 'E9,F', folder], {
    env: cleanEnvironment(),
  })
  return folder
}

/** Types, and the program that uses them compiles. */
async function typescript(document: string): Promise<void> {
  const env = cleanEnvironment()
  await run(npmProgram('openapi-typescript'), [document, '--output', join(generated, 'api.ts')], { env })
  try {
    await run(npmProgram('tsc'), ['--project', folder], { env })
  } catch (error) {
    throw new Error(`typescript-client.mts does not compile: ${(error as { stdout?: string }).stdout}`)
  }
}

async function python(document: string, name: string): Promise<void> {
  const words = ['generate', '--path', document, '--config', join(folder, 'python-client.yaml')]
  const output = ['--meta', 'none', '--overwrite', '--output-path', join(generated, name)]
  // It formats with the ruff beside it.
  const path = [join(folder, '.venv/bin'), cleanEnvironment()['PATH']].join(delimiter)
  await run(pythonProgram('openapi-python-client'), [...words, ...output, '--fail-on-warning'], {
    env: cleanEnvironment({ PATH: path }),
  })
}

/** What the programs answer; which members are there depends on the command. */
export interface GeneratedAnswer {
  readonly error?: string
  readonly message?: string
  readonly visit?: string
  readonly account?: { readonly username: string }
  readonly channels?: readonly string[]
  readonly permissions?: readonly string[]
  readonly listed?: { readonly 'session-id': string; readonly description: string }
  readonly revoked?: { readonly 'session-id': string; readonly 'revoked-by': string }
  readonly after?: { readonly status: number; readonly code: string }
  readonly nonce?: string
  readonly 'request-id'?: string
  readonly discharger?: number
  readonly serial?: string
  readonly device?: { readonly 'brand-id': string; readonly model: string; readonly serial: string }
  readonly model?: string
}

export const GENERATED: Readonly<Record<string, () => Driver<GeneratedAnswer>>> = {
  'openapi-fetch': () => start(process.execPath, [join(folder, 'typescript-client.mts')], {}),
  'openapi-python-client': () =>
    start(clientPaths.openApiPython, [join(folder, 'python_client.py')], { GENERATED: generated }),
}
