/** Generates clients from the OpenAPI document of a running service, for each run again, and runs their programs. */
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { type Driver, start } from './driver.ts'
import { cleanEnvironment, clientPaths } from './paths.ts'

const run = promisify(execFile)
const folder = join(clientPaths.interop, 'openapi')
const generated = join(folder, 'generated')
const npmProgram = (name: string) => join(folder, 'node_modules/.bin', name)
const pythonProgram = (name: string) => join(folder, '.venv/bin', name)

/** Generates and compiles the clients. Fails with the output of a generator or of the compiler. */
export async function generateClients(service: string): Promise<void> {
  const document = join(generated, 'openapi.json')
  await run('mkdir', ['-p', generated])
  await writeFile(document, await (await fetch(`${service}/openapi.json`)).text())
  await Promise.all([typescript(document), python(document, 'ratafia_client')])
}

/** Generates the package `ratafia_management` from the management API's document. Returns its folder. */
export async function generateManagementClient(service: string): Promise<string> {
  const folder = join(generated, 'management')
  await run('mkdir', ['-p', folder])
  const document = join(folder, 'openapi.json')
  await writeFile(document, await (await fetch(`${service}/api/management/v1/openapi.json`)).text())
  await python(document, join('management', 'ratafia_management'))
  // Look for undefined names and broken syntax in every module.
  await run(pythonProgram('ruff'), ['check', '--isolated', '--select', 'E9,F', folder], {
    env: cleanEnvironment(),
  })
  return folder
}

/** Fetches the two documents of the service, and returns their paths. */
export async function documentsOf(service: string, name: string): Promise<Readonly<Record<Api, string>>> {
  const folder = join(generated, name)
  await run('mkdir', ['-p', folder])
  const keep = async (api: Api, path: string) => {
    const file = join(folder, `${api}.json`)
    await writeFile(file, await (await fetch(`${service}${path}`)).text())
    return [api, file] as const
  }
  const kept = [keep('public', '/openapi.json'), keep('management', '/api/management/v1/openapi.json')]
  return Object.fromEntries(await Promise.all(kept)) as Record<Api, string>
}

export type Api = 'public' | 'management'

/** Generates both clients in Go, and compiles and vets the program that uses them. Returns how to start it. */
export async function generateInGo(service: string): Promise<() => Driver<CompiledAnswer>> {
  const documents = Object.entries(await documentsOf(service, 'go'))
  const cwd = join(folder, 'go')
  for (const [name, document] of documents) {
    const file = join(cwd, name, 'client.go')
    await run('mkdir', ['-p', join(cwd, name)])
    const words = ['-generate', 'types,client', '-package', name, '-o', file, document]
    await run(clientPaths.oapiCodegen, words)
  }
  const program = join(generated, 'go/program')
  const env = cleanEnvironment({ GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', CGO_ENABLED: '0' })
  await run(clientPaths.go, ['vet', './...'], { cwd, env })
  await run(clientPaths.go, ['build', '-o', program, '.'], { cwd, env })
  return () => start(program, [], {})
}

/** Generates both clients in Rust, and compiles the program that uses them. Returns how to start it. */
export async function generateInRust(service: string): Promise<() => Driver<CompiledAnswer>> {
  const documents = Object.entries(await documentsOf(service, 'rust'))
  for (const [name, document] of documents) {
    const output = join(generated, 'rust', name)
    await rm(output, { recursive: true, force: true })
    await run('java', [
      '-XX:TieredStopAtLevel=1',
      '-jar',
      clientPaths.openApiGenerator,
      'generate',
      ...RUST,
      ...['-i', document, '-o', output, '--package-name', name],
    ])
  }
  const env = cleanEnvironment({ CARGO_TARGET_DIR: clientPaths.openApiRust })
  await run('cargo', ['build', '--quiet', '--locked', '--offline'], { cwd: join(folder, 'rust'), env })
  return () => start(join(clientPaths.openApiRust, 'debug/generated-clients'), [], {})
}

const RUST = [
  ...['-g', 'rust', '--additional-properties', 'supportAsync=false,library=reqwest'],
  // The generator treats `null` as the name of a schema, and reqwest cannot send a path as a body.
  ...['--type-mappings', 'null=serde_json::Value,file=Vec<u8>'],
  // Our documentation tests would read the generated pages.
  ...['--openapi-generator-ignore-list', 'README.md,docs/*'],
  // The generator requires the body of a link to be a string. The specification allows any value.
  '--skip-validate-spec',
]

export interface CompiledAnswer {
  readonly error?: string
  readonly username?: string
  readonly listed?: number
  /** The error code, if the service refused. */
  readonly code?: string
}

/** Generates the types, and compiles the program that uses them. */
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
  // The generator formats with the ruff in its own folder.
  const path = [join(folder, '.venv/bin'), cleanEnvironment()['PATH']].join(delimiter)
  await run(pythonProgram('openapi-python-client'), [...words, ...output, '--fail-on-warning'], {
    env: cleanEnvironment({ PATH: path }),
  })
}

/** The answer of a program, whose members depend on the command. */
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
