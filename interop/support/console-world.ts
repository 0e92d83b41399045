/** A service with records for every console page, some with hostile names, and users with each role. */
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { ratafiaCommand } from '../../tools/test/programs.ts'
import { inWorld, startWorld } from './in-world.ts'
import { type Installation, newInstallation } from './installation.ts'
import { cleanEnvironment } from './paths.ts'
import { type Service, startService } from './service.ts'

const run = promisify(execFile)

export const PASSWORD = 'correct horse battery'
/** A user who may do everything. */
export const OPERATOR = 'ada'
/** A user who may view devices and models. */
export const VIEWER = 'vera'
/** A user without a role. */
export const DEVELOPER = 'dora'

/** A long text with markup, quotes, an invisible character, and a change of the text direction. */
export const HOSTILE = `"'><script>window.hostile=1</script><img src=x onerror=window.hostile=1>\u202eabc\u200b${'é'.repeat(60)}`

/** The part of it that a name can contain. */
const HOSTILE_NAME = HOSTILE.replaceAll(/\p{C}/gu, '').slice(0, 120)

export const BRAND = 'acme-brand'
export const MODEL = 'acme-device'

export interface ConsoleWorld {
  readonly installation: Installation
  readonly service: Service
  /** Lets the device with this name request its serial, and returns its output. A new device creates a key first. */
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
  // A model with an API key requires one, so the devices register before.
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

/** Registers a demo device. A pending device exits with an error that explains it. */
async function registerDevice(brand: string, state: string, url: string): Promise<string> {
  const [file, ...first] = ratafiaCommand()
  const words = [...first, 'demo', 'device', '--brand', brand, url, '--state', state]
  const { stdout, stderr } = await run(file, words, { env: cleanEnvironment() }).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  const said = `${stdout}${stderr}`
  if (/^Registered: |^ratafia: The device is pending/m.test(said)) return said
  throw new Error(`the device could not register: ${said}`)
}

/** Imports enough devices for a second page, and revokes two with a hostile reason. */
async function importDevices({ ratafia, directory }: Installation): Promise<void> {
  const rows = Array.from({ length: 130 }, (_, index) => {
    const serial = `AC-${String(index).padStart(8, '0')}`
    // The key has the length of a key digest.
    const key = hash('sha384', serial, 'base64url')
    return { brand_id: BRAND, model: MODEL, serial, device_key_id: key }
  })
  const file = join(directory, 'devices.json')
  await writeFile(file, JSON.stringify(rows))
  await ratafia(['devices', 'import', file])
  await ratafia([
    'devices',
    'revoke',
    // Revoking two devices creates a job.
    ...[`${BRAND}/${MODEL}/AC-00000003`, `${BRAND}/${MODEL}/AC-00000004`],
    '--reason',
    HOSTILE_NAME.replaceAll(/[^ -~]/g, ''),
    '--yes',
  ])
}

/** Signs in to the console like a user, from the front page of the service. */
export async function signIn(page: Page, url: string, username: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('link', { name: 'Sign in to the console' }).click()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/console\/(overview|tokens)/)
}
