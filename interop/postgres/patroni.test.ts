/**
 * Guarantee: on a PostgreSQL that Patroni keeps available, whatever happens to its leader or to etcd, nodes recover by
 * themselves and nothing that was acknowledged is lost. The settings are those of `docs/operations/deploy.md`, load and
 * checker those of the fault suite. Each test prints how long no login worked; `docs/reliability.md` has the table.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { revokeAtDatabase } from '../../faults/faults.ts'
import { BASE_URL, makeScene, type Scene } from '../../faults/load/scene.ts'
import { findingsOf } from '../../faults/report.ts'
import { breakWorld, CLIENTS, PEOPLE_EACH } from '../../faults/run.ts'
import type { Evidence, Striking } from '../../faults/striking.ts'
import { commandOf } from '../../faults/world/command.ts'
import { Issuer } from '../../faults/world/issuer.ts'
import { Node } from '../../faults/world/node.ts'
import { sleep } from '../../faults/world/processes.ts'
import { thisRelease } from '../../faults/world/release.ts'
import { setUp } from '../../faults/world/set-up.ts'
import type { World } from '../../faults/world/world.ts'
import { bundleForTests } from '../../tools/test/bundle.ts'
import { freePort } from '../../tools/test/free-port.ts'
import { watchLogins } from './support/login-watch.ts'
import { type Led, Patroni } from './support/patroni.ts'
import { CALM_MS, STRIKES } from './support/patroni-strikes.ts'

const HANGS_AFTER_MS = 300_000
/** Slow, because the members also need the processors, and wait for each other for minutes. */
const PACE = { client: 400, operator: 2_500, rules: 4_000 }

suite('PostgreSQL with Patroni', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-nodes-'))
  let scene: Scene
  let cluster: Patroni | undefined
  before(async () => {
    await bundleForTests()
    // One more person logs in all the time.
    scene = await makeScene({ people: CLIENTS * PEOPLE_EACH + 1, models: 12, keys: CLIENTS * 4 })
    cluster = await Patroni.start()
    process.stdout.write(`# ${cluster.versions}\n`)
  })
  after(async () => {
    await cluster?.close()
    rmSync(directory, { recursive: true, force: true })
  })

  for (const [at, { title, moves, strike }] of STRIKES.entries()) {
    test(title, { timeout: HANGS_AFTER_MS }, async () => {
      assert.ok(cluster)
      const servers = cluster
      const old = await servers.settled()
      let led: Led | undefined
      const notes: string[] = []
      const world = await makeWorld(servers, scene, join(directory, `${at}`))
      const underLoad = async ({ clients, recorder }: Striking): Promise<Evidence> => {
        const person = scene.people.at(-1) ?? assert.fail('the scene has no person')
        const logins = watchLogins(world.nodes, person, recorder)
        await sleep(CALM_MS)
        const began = performance.now()
        const promoted = async () => {
          const leader = await servers.leader(old.leader)
          notes.push(`${leader.name} leads after ${seconds(performance.now() - began)}`)
          return leader
        }
        const revoke = () => revokeAtDatabase(clients, world, recorder)
        try {
          const evidence = await strike({ cluster: servers, leader: old.leader, logins, promoted, revoke })
          await servers.repair()
          led = await servers.settled()
          notes.push(`all follow after ${seconds(performance.now() - began)}`)
          await sleep(CALM_MS)
          return evidence
        } finally {
          const longest = await logins.stop()
          notes.push(`at most ${seconds(longest)} without a login (${logins.count()} logins)`)
        }
      }
      try {
        const fault = { name: title, says: title, strike: underLoad, pace: PACE }
        const result = await breakWorld(world, { fault, seed: String(at), scene, amount: {} })
        const { operations, unavailable, silent, violations, evidence } = result
        process.stdout.write(
          `# ${title}: ${old.leader.name} led, ${notes.join(', ')}; timeline ${old.timeline} to ${led?.timeline}; ` +
            `${operations} operations, ${unavailable} 503, ${silent} without an answer, ` +
            `${violations.length} violations; ${JSON.stringify(evidence)}\n`,
        )
        assert.equal(violations.length, 0, findingsOf(result))
        assert.deepEqual(
          Object.keys(evidence).filter((name) => !evidence[name]),
          [],
          'did not strike',
        )
        assert.equal(led?.leader !== old.leader, moves)
        assert.equal((led?.timeline ?? 0) > old.timeline, moves)
      } catch (error) {
        process.stdout.write(servers.lastWords())
        throw error
      } finally {
        await world.end()
        await servers.repair()
      }
    })
  }
})

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`

/** Creates two nodes whose URL names all members, on a new database. */
async function makeWorld(cluster: Patroni, scene: Scene, directory: string): Promise<World> {
  const database = await cluster.newDatabase()
  const installation = {
    ...thisRelease(),
    environment: {
      RATAFIA_DATA_DIR: directory,
      RATAFIA_DATABASE_URL: cluster.url(database),
      // Commits that hang must not keep a node from reading, because the test checks what it reads.
      RATAFIA_DATABASE_POOL: '30',
      RATAFIA_BASE_URL: BASE_URL,
      RATAFIA_SECRET_KEY: randomBytes(32).toString('base64'),
      RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
      RATAFIA_LOG_LEVEL: 'warn',
      RATAFIA_WORKERS: '1',
    },
  }
  const issuer = await Issuer.start()
  await setUp(scene, installation, issuer)
  const nodes = [
    new Node('node 1', await freePort(), installation),
    new Node('node 2', await freePort(), installation),
  ]
  return {
    ...{ nodes, proxies: [], servers: {}, synchronous: true, disk: undefined, issuer },
    ...{ installation, next: undefined },
    ...{ kind: 'postgres', secrets: {}, found: { imported: [], sealed: [], restored: [] } },
    ratafia: commandOf(installation),
    directory: (name) => join(directory, name),
    statement: (text) => cluster.query(text, database),
    end: async () => {
      await Promise.all([issuer.close(), ...nodes.map((node) => node.stop())])
    },
  }
}
