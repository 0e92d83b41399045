/** The world of most suites: a running service with a user and an agent, once on each database. */
import { join } from 'node:path'
import { inWorld, startWorld } from './in-world.ts'
import { DATABASES, type DatabaseKind, type Installation, newInstallation } from './installation.ts'
import { type Service, startService } from './service.ts'

export const ADA = {
  username: 'ada',
  password: 'correct horse battery',
  email: 'ada@example.com',
  name: 'Ada L.',
} as const
/** The account of the agent. */
export const FARM = { username: 'build-farm', email: 'farm@example.com', name: 'The build farm' } as const

export interface World {
  readonly installation: Installation
  readonly service: Service
  /** The path of the agents file that `ratafia agents add` wrote for {@link FARM}. */
  readonly agentFile: string
}

type Declare = (world: () => World, kind: DatabaseKind) => void

/** Declares tests for each database. `world` works only inside tests and hooks. `settings` are the service's. */
export function onEachDatabase(declare: Declare, settings: Settings = {}): void {
  declareOn(DATABASES, settings, declare)
}

/** Declares tests that do not depend on the database, and therefore run on SQLite only. */
export function onOneDatabase(declare: Declare, settings: Settings = {}): void {
  declareOn(['sqlite'], settings, declare)
}

type Settings = Readonly<Record<string, string>>

function declareOn(kinds: readonly DatabaseKind[], settings: Settings, declare: Declare): void {
  for (const kind of kinds) {
    const make = () => makeWorld(kind, settings)
    inWorld<World>(kind, { timeout: 300_000, make }, (world) => declare(world, kind))
  }
}

async function makeWorld(kind: DatabaseKind, settings: Settings): Promise<World> {
  const installation = await newInstallation(kind)
  Object.assign(installation.environment, settings)
  const start = () => startService(installation)
  return startWorld(installation, start, async (service) => {
    await addAccount(installation, ADA, ADA.password)
    await addAccount(installation, FARM)
    const agentFile = join(installation.directory, 'agents.json')
    await installation.ratafia([
      'agents',
      'add',
      'builder',
      '--account',
      FARM.username,
      '--output',
      agentFile,
    ])
    return { installation, service, agentFile }
  })
}

/** Adds an account. Without a password, it cannot sign in. Returns its id. */
export async function addAccount(
  { ratafia }: Installation,
  { username, email, name }: { readonly username: string; readonly email: string; readonly name: string },
  password?: string,
): Promise<string> {
  const words = ['accounts', 'add', username, '--email', email, '--name', name, '--json']
  const made =
    password === undefined
      ? await ratafia([...words, '--no-password'])
      : await ratafia([...words, '--password-stdin'], `${password}\n`)
  return (JSON.parse(made) as { id: string }).id
}
