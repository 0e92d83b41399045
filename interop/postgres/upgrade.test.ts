/**
 * Guarantee: nodes of neighbouring releases serve one database together, and either can start on it again: for each pair
 * of releases, through an upgrade node by node and back, while people and devices use the service.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { BASE_URL, makeScene } from '../../faults/load/scene.ts'
import { commandOf, type Installation } from '../../faults/world/command.ts'
import { Node } from '../../faults/world/node.ts'
import { endWithThisProcess, environmentWith } from '../../faults/world/processes.ts'
import { asSuperuser } from '../../packages/server/test/support/databases.ts'
import { freePort } from '../../tools/test/free-port.ts'
import { releasePairs } from './support/release-pairs.ts'
import { addUsers, Users } from './support/users.ts'

/** The output of `ratafia migrate --plan --json`. */
interface Planned {
  readonly missing: readonly { readonly name: string; readonly contracts: boolean }[]
}

for (const { name, build } of releasePairs()) {
  describe(name, () => {
    let directory: string
    let releases: Awaited<ReturnType<typeof build>>
    before(async () => {
      directory = mkdtempSync(join(tmpdir(), 'ratafia-upgrade-'))
      releases = await build(join(directory, 'releases'))
    })
    after(() => rmSync(directory, { recursive: true, force: true }))

    /** Sets up a database by the older release, with nodes that are not started, and users. */
    const setUp = async (kind: string, nodeCount: number, settings: Readonly<Record<string, string>>) => {
      const data = join(directory, kind)
      mkdirSync(data, { mode: 0o700 })
      const environment = {
        RATAFIA_DATA_DIR: data,
        RATAFIA_SECRET_KEY: randomBytes(32).toString('base64'),
        RATAFIA_BASE_URL: BASE_URL,
        RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
        RATAFIA_LOG_LEVEL: 'warn',
        RATAFIA_WORKERS: '1',
        ...settings,
      }
      const older = { ...releases.older, environment }
      const newer = { ...releases.newer, environment }
      const scene = await makeScene({ people: 3, models: 1, keys: 3 })
      await addUsers(scene, commandOf(older), data)
      const nodes: Node[] = []
      for (let at = 1; at <= nodeCount; at++) nodes.push(new Node(`node ${at}`, await freePort(), older))
      const users = new Users(scene, nodes)
      after(async () => {
        await users.stop()
        for (const node of nodes) await node.stop()
      })
      /** Restarts the node with this installation, during which users try the others. */
      const restart = (node: Node, installation: Installation) =>
        users.stopping(node, async () => {
          await node.stop()
          node.installation = installation
          await node.start()
        })
      /** The older release must start again, or explain why it can't. */
      const goBack = async (node: Node, dropped: readonly string[]) => {
        if (dropped.length === 0) {
          await restart(node, older)
          await users.used()
          return
        }
        await users.stopping(node, async () => {
          await node.stop()
          const { code, stderr } = await refusedStart(older, node.port)
          assert.equal(code, 4, stderr)
          for (const migration of dropped) assert.ok(stderr.includes(migration), stderr)
          await node.start()
        })
        await users.used()
      }
      const isFine = async () => {
        await users.stop()
        assert.deepEqual(users.wrong, [], nodes.map(({ log }) => log.tail).join('\n'))
        assert.deepEqual(
          nodes.flatMap(({ endings }) => endings),
          [],
        )
      }
      return { older, newer, nodes, users, restart, goBack, isFine }
    }

    const droppedIn = ({ missing }: Planned) =>
      missing.filter((each) => each.contracts).map((each) => each.name)

    test('on PostgreSQL, an upgrade node by node and back, under load', async () => {
      const database = `upgrade_${randomBytes(6).toString('hex')}`
      await asSuperuser(`create database ${database}`)
      after(() => asSuperuser(`drop database if exists ${database} with (force)`))
      const url = new URL(process.env['RATAFIA_TEST_POSTGRES_URL'] ?? '')
      url.pathname = `/${database}`
      const set = await setUp('postgres', 2, { RATAFIA_DATABASE_URL: url.href })
      const { older, newer, nodes, users, restart, goBack, isFine } = set
      const [one, other] = nodes as [Node, Node]
      await one.start()
      await other.start()
      users.start()
      await users.used()

      // The newer release migrates the database; the old nodes keep running.
      const ratafia = commandOf(newer)
      const planned: Planned = JSON.parse((await ratafia(['migrate', '--plan', '--json'])).stdout)
      await users.migrating(async () => {
        const { ran } = JSON.parse((await ratafia(['migrate', '--json'])).stdout)
        assert.deepEqual(
          ran,
          planned.missing.map((each) => each.name),
        )
      })
      await users.used()
      const dropped = droppedIn(planned)
      if (dropped.length === 0) {
        await restart(one, older)
        await users.used()
      }
      for (const node of [other, one]) {
        await restart(node, newer)
        await users.used()
      }
      await goBack(one, dropped)
      await isFine()
    })

    test('on SQLite, an upgrade and back', async () => {
      const { newer, nodes, users, restart, goBack, isFine } = await setUp('sqlite', 1, {})
      const [node] = nodes as [Node]
      await node.start()
      users.start()
      await users.used()
      const planned = JSON.parse((await commandOf(newer)(['migrate', '--plan', '--json'])).stdout)
      // The newer release migrates the database when it starts.
      await restart(node, newer)
      await users.used()
      await goBack(node, droppedIn(planned))
      await isFine()
    })
  })
}

/** Starts a node that must not listen. */
async function refusedStart({ program, environment }: Installation, port: number) {
  const child = endWithThisProcess(
    spawn(process.execPath, [program, 'serve'], {
      env: environmentWith({ ...environment, RATAFIA_PORT: String(port) }),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const ended = once(child, 'exit')
  // It prints only that it listens.
  child.stdout.once('data', () => child.kill('SIGKILL'))
  const stderr = await text(child.stderr)
  const [code] = await ended
  return { code, stderr }
}
