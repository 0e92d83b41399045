/** A service with something of everything that the console shows, some of it with hostile names, and people of each role. */
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { inWorld, startWorld } from './in-world.ts'
import { type Installation, newInstallation } from './installation.ts'
import { cleanEnvironment, clientPaths } from './paths.ts'
import { type Service, startService } from './service.ts'

const run = promisify(execFile)

export const PASSWORD = 'correct horse battery'
/** Signs in, and may do everything. */
export const OPERATOR = 'ada'
/** May look at devices and models. */
export const VIEWER = 'vera'
/** Has no role. */
export const DEVELOPER = 'dora'

/** Markup, a quote, an invisible character, a text against the direction, a combining mark, and length. */
export const HOSTILE = `"'><script>window.hostile=1</script><img src=x onerror=window.hostile=1>\u202eabc\u200b${'é'.repeat(60)}`

/** As much of it as a name may have. */
const HOSTILE_NAME = HOSTILE.replaceAll(/\p{C}/gu, '').slice(0, 120)

export const BRAND = 'acme-brand'
export const MODEL = 'acme-device'

export interface ConsoleWorld {
  readonly installation: Installation
  readonly service: Service
  /** The device of this name asks for its serial, and says what became of it; a new one makes a key first. */
  device(name: string): Promise<string>
}

export const inConsoleWorld = (declare: (world: () => ConsoleWorld) => void): void =>
  inWorld('sqlite', { timeout: 1_800_000, make: makeWorld }, declare)

async function makeWorld(): Promise<ConsoleWorld> {
  const installation = await newInstallation('sqlite')
  const start = () => startService(installation)
  return startWorld(installation, start, (service) => filledWorld(installation, service))
}

async function filledWorld(installation: Installation, service: Service): Promise<ConsoleWorld> {
  const { ratafia, directory } = installation
  const world: ConsoleWorld = {
    installation,
    service,
    device: (name) => registerDevice(join(directory, 'acme'), join(directory, name), service.url),
  }
  await addPerson(installation, OPERATOR, ['--role', 'operator'])
  await addPerson(installation, VIEWER, ['--role', 'viewer'])
  await addPerson(installation, DEVELOPER, [])
  await ratafia([
    'accounts',
    'add',
    'hugo',
    '--email',
    'hugo@example.com',
    '--name',
    HOSTILE_NAME,
    '--no-password',
  ])
  await ratafia([
    'brands',
    'create',
    '--demo',
    '--name',
    'acme',
    '--output',
    join(directory, 'acme'),
    '--url',
    service.url,
  ])
  await importDevices(installation)
  // The keys of a model are asked for once it has one: devices have registered before.
  await world.device('first')
  await ratafia(['models', 'set-policy', `${BRAND}/${MODEL}`, '--registration', 'approval'])
  await world.device('second')
  await world.device('third')
  await ratafia(['api-keys', 'add', `${BRAND}/${MODEL}`, '--label', HOSTILE_NAME.slice(0, 60)])
  return world
}

const addPerson = ({ ratafia }: Installation, name: string, roles: readonly string[]) =>
  ratafia(
    [
      'accounts',
      'add',
      name,
      '--email',
      `${name}@example.com`,
      '--name',
      `${name} of Example`,
      ...roles,
      '--password-stdin',
    ],
    `${PASSWORD}\n`,
  )

/** As examples/device.ts does it. A device that waits for a decision ends with an error that says so. */
async function registerDevice(brand: string, state: string, url: string): Promise<string> {
  const words = [join(clientPaths.root, 'examples/device.ts'), brand, url, '--state', state]
  const { stdout, stderr } = await run(process.execPath, words, { env: cleanEnvironment() }).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  const said = `${stdout}${stderr}`
  if (/^Registered: |^Somebody has to approve/m.test(said)) return said
  throw new Error(`the device could not register: ${said}`)
}

/** Enough for a second page, decided by somebody with a hostile reason. */
async function importDevices({ ratafia, directory }: Installation): Promise<void> {
  const rows = Array.from({ length: 130 }, (_, index) => {
    const serial = `AC-${String(index).padStart(8, '0')}`
    // As long as the digest of a key.
    const key = hash('sha384', serial, 'base64url')
    return { brand_id: BRAND, model: MODEL, serial, device_key_id: key }
  })
  const file = join(directory, 'devices.json')
  await writeFile(file, JSON.stringify(rows))
  await ratafia(['devices', 'import', file])
  await ratafia([
    'devices',
    'revoke',
    // Two make a job.
    ...[`${BRAND}/${MODEL}/AC-00000003`, `${BRAND}/${MODEL}/AC-00000004`],
    '--reason',
    HOSTILE_NAME.replaceAll(/[^ -~]/g, ''),
    '--yes',
  ])
}

/** From the first page of the service to the console, by what a person sees. */
export async function signIn(page: Page, url: string, username: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('link', { name: 'Sign in to the console' }).click()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/console\/(overview|tokens)/)
}
