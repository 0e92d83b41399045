/**
 * Three members with Patroni and PostgreSQL, and three etcds, with the settings of `docs/operations/deploy.md`. The
 * members reach each other and the etcds through proxies; all others reach them directly.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithThisProcess, sleep } from '../../../faults/world/processes.ts'
import { TcpProxy } from '../../../faults/world/proxy.ts'
import { eventually } from '../../../packages/server/test/support/eventually.ts'
import { freePort } from '../../../tools/test/free-port.ts'
import { type Account, unprivilegedAccount } from '../../../tools/test/postgres.ts'
import { scratchDirectory } from '../../../tools/test/scratch.ts'
import { Etcd } from './etcd.ts'
import {
  type ClusterSettings,
  copyPrograms,
  newDirectory,
  type Programs,
  SCOPE,
  writeSettings,
} from './patroni-installation.ts'
import { Member } from './patroni-member.ts'

const ROLE = 'ratafia'
const LOOK_AGAIN_MS = 100

export interface Led {
  readonly leader: Member
  readonly timeline: number
}

export class Patroni {
  readonly members: readonly Member[]
  readonly etcd: Etcd
  /** The versions of the programs, in one line. */
  readonly versions: string
  readonly #programs: Programs
  readonly #password: string
  readonly #close: () => Promise<void>
  /** The proxies that lose packets. */
  #holding: readonly TcpProxy[] = []

  private constructor(
    programs: Programs,
    parts: Pick<Patroni, 'members' | 'etcd' | 'close'> & { readonly password: string },
  ) {
    this.#programs = programs
    this.members = parts.members
    this.etcd = parts.etcd
    this.versions = programs.versions
    this.#password = parts.password
    this.#close = parts.close
  }

  /** Starts a new cluster with a role for the service. Returns once all members follow the first. */
  static async start(): Promise<Patroni> {
    const ends: (() => Promise<unknown> | unknown)[] = []
    const close = async () => {
      for (let end = ends.pop(); end; end = ends.pop()) await end()
    }
    try {
      const account = process.getuid?.() === 0 ? unprivilegedAccount() : undefined
      const makeDirectory = (parent: string) => {
        const directory = mkdtempSync(join(parent, 'ratafia-patroni-'))
        ends.push(() => rmSync(directory, { recursive: true, force: true }))
        // The servers' own account needs access to it.
        chmodSync(directory, 0o755)
        return directory
      }
      const directory = makeDirectory(scratchDirectory())
      // Many systems don't allow programs to run from memory.
      const programs = copyPrograms(newDirectory(join(makeDirectory(tmpdir()), 'programs'), account))
      const etcd = await Etcd.start(programs.etcd, newDirectory(join(directory, 'etcd'), account), account)
      ends.push(() => etcd.close())
      const passwords = { superuser: newPassword(), replicator: newPassword(), rewinder: newPassword() }
      const members: Member[] = []
      for (const at of [1, 2, 3]) {
        const shared = { directory, account, programs, hosts: etcd.hosts, passwords }
        const member = await newMember(at, shared)
        members.push(member)
        const endNow = () => member.endPostgres()
        process.once('exit', endNow)
        ends.push(async () => {
          await member.end()
          process.off('exit', endNow)
          await Promise.all(member.proxies.map((proxy) => proxy.close()))
        })
      }
      const cluster = new Patroni(programs, { members, etcd, password: newPassword(), close })
      await cluster.#startAll().catch((cause: unknown) => {
        throw new Error(
          `The cluster did not start. The last lines of its Patronis' logs:\n${cluster.lastWords()}`,
          { cause },
        )
      })
      return cluster
    } catch (error) {
      await close()
      throw error
    }
  }

  /** Returns the URL of a database, which names all members. */
  url(database: string): string {
    const hosts = this.members.map(({ port }) => `127.0.0.1:${port}`).join(',')
    return `postgres://${ROLE}:${this.#password}@${hosts}/${database}`
  }

  /** Runs a statement on the leader, as the superuser. */
  async query(statement: string, database = 'postgres'): Promise<readonly Record<string, unknown>[]> {
    return (await this.leader()).query(statement, database)
  }

  /** Creates a database that belongs to the service, and waits until all members have it. Returns its name. */
  async newDatabase(): Promise<string> {
    const name = `patroni_${randomBytes(6).toString('hex')}`
    await this.query(`create database ${name} owner ${ROLE}`)
    const look = `select from pg_database where datname = '${name}'`
    for (const member of this.members) {
      await eventually(`${member.name} has it`, async () => (await member.query(look)).length > 0)
    }
    return name
  }

  /** Waits until a member other than `old` leads. */
  async leader(old?: Member): Promise<Member> {
    const others = this.members.filter((member) => member !== old)
    return eventually('a member leads', async () => {
      const leads = await Promise.all(others.map((member) => member.leads()))
      const leader = others[leads.indexOf(true)]
      if (!leader) await sleep(LOOK_AGAIN_MS)
      return leader
    })
  }

  /**
   * Waits until both other members follow the leader on its timeline, and PostgreSQL and Patroni agree which
   * of them is synchronous. Patroni does not let any other member take over.
   */
  async settled(): Promise<Led> {
    return eventually('all members follow the leader', async () => {
      await sleep(LOOK_AGAIN_MS)
      const leader = await this.leader()
      const all = await Promise.all(this.members.map((member) => member.status()))
      const timelines = all.flatMap((status) => status?.timeline ?? [])
      const [timeline] = timelines
      if (timelines.length < this.members.length || timelines.some((other) => other !== timeline)) return
      const following = await leader.query(
        `select application_name as name, sync_state as how from pg_stat_replication where state = 'streaming'`,
      )
      const synchronous = following.filter(({ how }) => how === 'sync').map(({ name }) => String(name))
      const known = await leader.synchronous()
      const agree = following.length === 2 && synchronous.length === 1 && known.join() === synchronous.join()
      return agree && timeline !== undefined ? { leader, timeline } : undefined
    })
  }

  /** Returns the last lines of each Patroni's log. */
  lastWords(): string {
    return this.members.map((member) => `${member.name}:\n${member.lastWords()}\n`).join('')
  }

  /** Cuts a member off from the other members and from etcd, in both directions and without errors. */
  isolate(member: Member): void {
    const others = this.members.filter((other) => other !== member)
    const ahead = [...this.etcd.proxies, ...others.flatMap(({ proxies }) => proxies)]
    for (const proxy of member.proxies) proxy.blackHole()
    for (const proxy of ahead) proxy.blackHole(member.address)
    this.#holding = [...member.proxies, ...ahead]
  }

  /** The number of packets lost since the start, because a member was isolated. */
  get lost(): number {
    const proxies = [...this.etcd.proxies, ...this.members.flatMap((member) => member.proxies)]
    return proxies.reduce((sum, { held }) => sum + held, 0)
  }

  /** Restores the network, restarts killed processes and resumes stopped ones. */
  async repair(): Promise<void> {
    for (const proxy of this.#holding) proxy.heal()
    this.#holding = []
    for (const member of this.members) member.goOn()
    await this.etcd.restart()
  }

  /** Runs `patronictl switchover`, which makes the synchronous standby the leader. Returns the exit code. */
  async switchOver(): Promise<number | null> {
    const [{ settings }] = this.members as [Member, ...Member[]]
    const { words, environment } = this.#programs.patronictl(settings)
    const [program, ...before] = words
    const child = spawn(program, [...before, 'switchover', SCOPE, '--force'], {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = (await once(endWithThisProcess(child), 'exit')) as [number | null]
    return code
  }

  close(): Promise<void> {
    return this.#close()
  }

  async #startAll(): Promise<void> {
    const [first, ...others] = this.members
    first?.start()
    await this.leader()
    for (const member of others) member.start()
    await this.settled()
    await this.query(`create role ${ROLE} login password '${this.#password}'`)
  }
}

interface Shared extends Omit<ClusterSettings, 'advertised'> {
  readonly directory: string
  readonly account: Account | undefined
}

async function newMember(at: number, { directory, account, ...shared }: Shared): Promise<Member> {
  const place = {
    ...{ name: `pg${at}`, address: `127.0.0.${10 + at}`, account },
    directory: newDirectory(join(directory, `pg${at}`), account),
    ...{ port: await freePort(), rest: await freePort() },
  }
  const proxies = { postgres: await TcpProxy.start(place.port), rest: await TcpProxy.start(place.rest) }
  const advertised = { postgres: proxies.postgres.port, rest: proxies.rest.port }
  const settings = writeSettings(place, { ...shared, advertised })
  const command = shared.programs.patroni(place.address, settings)
  return new Member({ ...place, settings, proxies, password: shared.passwords.superuser, command })
}

const newPassword = () => randomBytes(16).toString('hex')
