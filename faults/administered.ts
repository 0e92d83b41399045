/** The strikes of `administered`: rare operator work that puts everything at stake. Each round does one of them. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Seen } from './history.ts'
import { command } from './load/operator.ts'
import { OPERATORS } from './load/scene.ts'
import type { Evidence, Striking } from './striking.ts'
import { differences, readTables } from './world/tables.ts'
import { until } from './world/until.ts'
import type { World } from './world/world.ts'

export const administer = ({ round, ...striking }: Striking): Promise<Evidence> => {
  const strike = STRIKES[(round - 1) % STRIKES.length]
  return strike ? strike({ round, ...striking }) : Promise.resolve({})
}

const STRIKES = [importInTheMiddle, rotateSecret, raceOperators, backUpUnderLoad]
export const ADMINISTERED_ROUNDS = STRIKES.length

/** Enough for several batches of the inserting statement. */
const PACKAGES = 500
/** Every rule's package, and the last row of each file. */
const HELD = 'hello'

/**
 * Kills an import while it waits for its last row, and checks that it has changed nothing so far. A node completes it
 * afterwards, because an import is a job. Then imports another file.
 */
async function importInTheMiddle({ world, recorder, round }: Striking): Promise<Evidence> {
  const directory = world.directory(`import-${round}.csv`)
  const first = writePackages(directory, [])
  await command({ kind: 'import', words: ['packages', 'import', first] }, world.ratafia, recorder)
  const names = Array.from({ length: PACKAGES }, (_, at) => `package-${round}-${at}`)
  const file = writePackages(directory, names)
  const killed = await killWhileItWaits(world, ['packages', 'import', file], {
    hold: `select 1 from package where name = '${HELD}' for update`,
    waitsFor: 'package',
    meanwhile: async () => {
      const like = `package-${round}-%`
      const there = await world.statement(`select name from package where name like '${like}'`)
      if (there.length > 0) world.found.imported.push(`a waiting import has written ${there.length} packages`)
    },
  })
  const { now, history } = recorder
  const unanswered: Seen = { kind: 'import', where: 'command', sent: now(), answered: now(), status: 0 }
  history.push({ ...unanswered, imports: names })
  const half = names.map((name) => `${name}-again`)
  const status = await command(
    { kind: 'import', words: ['packages', 'import', writePackages(directory, half)], imports: half },
    world.ratafia,
    recorder,
  )
  return { 'imports killed': Number(killed), imports: Number(status === 200) }
}

function writePackages(file: string, names: readonly string[]): string {
  const rows = [...names, HELD].map((name) => `${name},${name}`)
  writeFileSync(file, ['name,snap_id', ...rows, ''].join('\n'))
  return file
}

/** Tables whose columns are sealed under keys other than the secret key. */
const OTHERWISE_SEALED = "('idempotent_request', 'kept_form')"

/**
 * Gives all nodes a new secret key, kills the command that reseals everything under it and repeats the command, then
 * restarts the nodes without the previous key.
 */
async function rotateSecret({ world, recorder }: Striking): Promise<Evidence> {
  const { nodes, found } = world
  const previous = world.secrets['RATAFIA_SECRET_KEY'] ?? world.installation.environment['RATAFIA_SECRET_KEY']
  const current = randomBytes(32).toString('base64')
  const both = { RATAFIA_SECRET_KEY: current, RATAFIA_PREVIOUS_SECRET_KEY: previous ?? '' }
  const restartAll = async (secrets: Readonly<Record<string, string>>) => {
    world.secrets = secrets
    for (const node of nodes) {
      await node.stop()
      await node.start(secrets)
    }
  }
  await restartAll(both)
  const before = await sealedIn(world)
  const words = ['secret', 'rotate', '--yes']
  const killed = await killWhileItWaits(world, words, {
    hold: 'select 1 from seal_check for update',
    waitsFor: 'seal_check',
  })
  const half = await sealedIn(world)
  const changed = [...before].filter((value) => !half.has(value)).length
  if (changed > 0) found.sealed.push(`a killed rotation has resealed ${changed} values`)
  // A node that starts now finds everything sealed under the previous key.
  await nodes[0]?.stop()
  await nodes[0]?.start(both)
  const status = await command({ kind: 'rotate-keys', words }, world.ratafia, recorder)
  const after = await sealedIn(world)
  for (const value of [...before].filter((one) => after.has(one))) {
    found.sealed.push(`a rotation left ${value.split(' ')[0]} sealed under the previous key`)
  }
  await restartAll({ RATAFIA_SECRET_KEY: current })
  return {
    'rotations killed': Number(killed),
    'rotations of the secret key': Number(status === 200),
    'values sealed': before.size,
  }
}

/** Returns `TABLE.COLUMN HEX` for each value that is sealed under the secret key. Takes the columns from the schema. */
async function sealedIn({ statement }: World): Promise<ReadonlySet<string>> {
  const columns = await statement(`select table_name, column_name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' and column_name like 'sealed%'
    and table_name not in ${OTHERWISE_SEALED}`)
  const values = await Promise.all(
    columns.map(async ({ table_name: table, column_name: column }) =>
      (await statement(`select encode("${column}", 'hex') as value from "${table}"`)).map(
        ({ value }) => `${table}.${column} ${value}`,
      ),
    ),
  )
  return new Set(values.flat())
}

/** Removes both operators' roles at the same moment. One of them must keep the role; the other gets it back. */
async function raceOperators({ world: { ratafia }, recorder }: Striking): Promise<Evidence> {
  const act = (verb: 'add' | 'remove', username: string) => {
    const words = ['grants', verb, username, 'operator', ...(verb === 'remove' ? ['--yes'] : [])]
    return command({ kind: `${verb}-grant`, words }, ratafia, recorder)
  }
  const taken = await Promise.all(OPERATORS.map((username) => act('remove', username)))
  const lost = OPERATORS.filter((_, at) => taken[at] === 200)
  // If no operator is left, nothing repairs that, so that the checker sees it.
  if (lost.length === 1) await act('add', lost[0] ?? '')
  return { 'roles taken': lost.length }
}

/** Checks that a backup made while clients write contains every session acknowledged before it began. */
async function backUpUnderLoad({ world, recorder, round }: Striking): Promise<Evidence> {
  const { history, now } = recorder
  const file = world.directory(`backup-${round}`)
  const began = now()
  const status = await command({ kind: 'backup', words: ['backup', file] }, world.ratafia, recorder)
  if (status !== 200) return { 'backups under load': 0 }
  const sessions = history.flatMap(({ session, answered, status: was }) =>
    session !== undefined && was === 200 && answered < began ? [session] : [],
  )
  const there = await restored(world, file)
  const restoredSessions = new Set(there.get('token_session')?.map(({ session_id: id }) => String(id)))
  for (const session of new Set(sessions)) {
    if (!restoredSessions.has(session))
      world.found.restored.push(`a backup under load lacks session ${session}`)
  }
  return { 'backups under load': 1 }
}

/** Tables that the backup itself writes to, or that describe processes. */
const BESIDES: ReadonlySet<string> = new Set(['audit_entry', 'audit_chain', 'schema_migration'])

/** Stops the nodes, compares a restored backup with the database row by row, and starts the nodes again. */
export async function compareBackup(world: World): Promise<void> {
  const { nodes, statement, kind, found, ratafia, secrets } = world
  for (const node of nodes) await node.stop()
  const expected = await readTables(statement, kind)
  const file = world.directory('last-backup')
  const { code, stderr } = await ratafia(['backup', file])
  if (code !== 0) found.restored.push(`the backup exited with ${code}: ${stderr}`)
  const there = await restored(world, file)
  found.restored.push(...differences({ expected, found: there }, BESIDES))
  // The restored database has additional entries of its own.
  const ids = new Set(there.get('audit_entry')?.map(({ id }) => id))
  for (const { id } of expected.get('audit_entry') ?? []) {
    if (!ids.has(id)) found.restored.push(`audit_entry lacks ${id}`)
  }
  for (const node of nodes) await node.start(secrets)
}

async function restored({ another, found }: World, file: string) {
  const beside = await another?.()
  if (!beside) throw new TypeError('this world has no other database')
  const { code, stderr } = await beside.ratafia(['restore', file, '--verify', '--yes'])
  if (code !== 0) found.restored.push(`the restore exited with ${code}: ${stderr.slice(0, 500)}`)
  return readTables(beside.statement, 'postgres')
}

interface Held {
  /** A statement that locks the row that the command changes last. */
  readonly hold: string
  /** The table that the command then waits for. */
  readonly waitsFor: string
  /** Runs while the command waits. */
  meanwhile?(): Promise<void>
}

/** Kills a command when it has nearly finished. Returns whether it was waiting for the lock. */
async function killWhileItWaits(
  { hold, ratafia, statement }: World,
  words: readonly string[],
  { hold: lock, waitsFor, meanwhile }: Held,
): Promise<boolean> {
  if (!hold) return false
  const release = await hold(lock)
  const kill = new AbortController()
  try {
    let ended = false
    const running = ratafia(words, { kill: kill.signal }).finally(() => {
      ended = true
    })
    const waits = await until(`ratafia ${words.join(' ')} to wait for ${waitsFor}`, async () => {
      const [row] = await statement(`select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%${waitsFor}%'`)
      return row?.['count'] !== 0 ? 'waits' : ended && 'ended'
    })
    if (waits === 'waits') await meanwhile?.()
    kill.abort()
    await running
    return waits === 'waits'
  } finally {
    await release()
  }
}
