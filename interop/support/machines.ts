/** Machines with snapd whose users log in to a running service, and their store, which lets it verify each request. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Typed } from './at-terminal.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { start } from './driver.ts'
import { clientPaths } from './paths.ts'
import { SHORT_DISCHARGES, UNTIL_STALE } from './publishers.ts'
import { type Service, startService } from './service.ts'
import { type Machine, startMachine } from './snapd-machine.ts'
import { type Seen, SNAP, type StoreApi, startStoreApi } from './store-api.ts'
import { ADA, addAccount, type World } from './world.ts'

/** The first question of `snap login`. */
export const PASSWORD_OF = 'Password of '

export type Person = Readonly<Record<'email' | 'password', string>>

export interface Machines {
  /** Restarts the service with these settings, on the same address. */
  restartService(settings: Readonly<Record<string, string>>): Promise<void>
  /** Creates an account that no other test uses. */
  newPerson(username: string): Promise<Person & { readonly username: string }>
  /** Starts a new machine. */
  machine(): Promise<Machine>
  /** Returns a new machine after a login. `answers` are for the questions after the password. */
  loggedIn(person: Person, ...answers: Typed): Promise<Machine>
  /** Returns the error of a `snap login` that fails on a new machine. */
  refused(email: string, ...answers: Typed): Promise<string>
  /** Returns a login in its exported form. */
  credentials(person: Person): Promise<{ readonly r: string; readonly d: string }>
  /** Returns the result of `logIn` once its discharge is stale. Refreshed discharges last long. */
  stale<T>(logIn: () => Promise<T>): Promise<T>
  /** Returns the snap that the image tools download with an exported credential. */
  downloaded(credential: object): Promise<string>
  /** Returns the requests to the store about the snap since the last call, and since the last login. */
  seen(): Seen[]
  /** Returns the verdicts of these requests, one word each. */
  verdicts(): string[]
}

/** Declares the hooks that start and stop the machines. */
export function machinesAt(world: () => World): Machines {
  let dashboard: Dashboard
  let store: StoreApi
  let restarted: Service | undefined
  const machines: Machine[] = []

  before(async () => {
    const { service, installation } = world()
    dashboard = await startDashboard(installation.directory)
    store = await startStoreApi()
    dashboard.target = store.target = service.url
  })
  after(async () => {
    await Promise.all(machines.map((machine) => machine.stop()))
    dashboard?.close()
    store?.close()
    await restarted?.stop()
  })

  async function restartService(settings: Readonly<Record<string, string>>): Promise<void> {
    const { service, installation } = world()
    await (restarted ?? service).stop()
    Object.assign(installation.environment, settings)
    restarted = await startService(installation)
  }

  const environment = () => ({
    ...dashboard.environment,
    SNAPPY_FORCE_SSO_URL: `${world().service.url}/api/v2`,
    SNAPPY_FORCE_API_URL: `${store.url}/`,
  })

  async function machine(): Promise<Machine> {
    const started = await startMachine(environment())
    machines.push(started)
    return started
  }

  async function newPerson(username: string) {
    const person = { username, email: `${username}@example.com`, name: username, password: ADA.password }
    await addAccount(world().installation, person, person.password)
    return person
  }

  async function loggedIn({ email, password }: Person, ...answers: Typed): Promise<Machine> {
    const snapd = await machine()
    const { code, shown } = await snapd.snap(['login', email], [[PASSWORD_OF, `${password}\r`], ...answers])
    assert.equal(code, 0, shown)
    store.seen()
    return snapd
  }

  async function refused(email: string, ...answers: Typed): Promise<string> {
    const { code, shown } = await (await machine()).snap(['login', email], answers)
    assert.equal(code, 1, shown)
    // `snap` wraps its messages to the width of the terminal.
    return /error: .*/.exec(shown.replace(/\s+/g, ' '))?.[0] ?? ''
  }

  async function credentials(person: Person): Promise<{ readonly r: string; readonly d: string }> {
    const { root: r, discharge: d } =
      (await (await loggedIn(person)).login()) ?? assert.fail('no user is logged in')
    return { r, d }
  }

  async function downloaded(credential: object): Promise<string> {
    const directory = await mkdtemp(join(world().installation.directory, 'image-'))
    const tools = start<{ readonly error?: string }>(clientPaths.snapdDevice, [], {
      ...environment(),
      UBUNTU_STORE_URL: store.url,
      UBUNTU_STORE_AUTH: Buffer.from(JSON.stringify(credential)).toString('base64'),
    })
    const { error } = await tools.ask({ do: 'download', snap: SNAP, directory })
    await tools.close()
    assert.equal(error, undefined)
    return readFile(join(directory, `${SNAP}_7.snap`), 'utf8')
  }

  async function stale<T>(logIn: () => Promise<T>): Promise<T> {
    await restartService(SHORT_DISCHARGES)
    const given = await logIn()
    await restartService({ RATAFIA_DISCHARGE_LIFETIME: '24h' })
    await sleep(UNTIL_STALE)
    return given
  }

  const seen = () => store.seen()
  const verdicts = () =>
    seen().map(({ verdict }) => {
      if (verdict.allowed) return 'allowed'
      return verdict.refresh_required ? 'refresh' : 'refused'
    })
  return {
    ...{ restartService, newPerson, machine, loggedIn, refused, credentials, stale, downloaded },
    ...{ seen, verdicts },
  }
}
