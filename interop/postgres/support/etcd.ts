/** Three etcds, each behind a proxy. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { endWithThisProcess } from '../../../faults/world/processes.ts'
import { TcpProxy } from '../../../faults/world/proxy.ts'
import { eventually } from '../../../packages/server/test/support/eventually.ts'
import { freePort } from '../../../tools/test/free-port.ts'
import type { Account } from '../../../tools/test/postgres.ts'
import { answers } from './http.ts'

const MEMBERS = ['etcd1', 'etcd2', 'etcd3'] as const

interface Member {
  readonly name: string
  readonly clients: number
  readonly peers: number
  /** The proxy in front of `clients`, whose address etcd advertises to its clients. */
  readonly proxy: TcpProxy
}

export class Etcd {
  readonly proxies: readonly TcpProxy[]
  readonly #program: string
  readonly #directory: string
  readonly #account: Account | undefined
  readonly #members: readonly Member[]
  readonly #running = new Map<Member, ChildProcess>()

  private constructor(
    place: { readonly program: string; readonly directory: string; readonly account: Account | undefined },
    members: readonly Member[],
  ) {
    this.#program = place.program
    this.#directory = place.directory
    this.#account = place.account
    this.#members = members
    this.proxies = members.map(({ proxy }) => proxy)
  }

  /** Starts a new cluster with files in `directory`, which belongs to `account`. Returns once it has a leader. */
  static async start(program: string, directory: string, account: Account | undefined): Promise<Etcd> {
    const members: Member[] = []
    for (const name of MEMBERS) {
      const [clients, peers] = [await freePort(), await freePort()]
      members.push({ name, clients, peers, proxy: await TcpProxy.start(clients) })
    }
    const etcd = new Etcd({ program, directory, account }, members)
    try {
      await etcd.restart()
      return etcd
    } catch (error) {
      await etcd.close()
      throw error
    }
  }

  /** The value of Patroni's setting `hosts`. */
  get hosts(): string {
    return this.proxies.map(({ port }) => `127.0.0.1:${port}`).join(',')
  }

  /** Kills all etcds except one with SIGKILL. Returns how many. */
  async killMost(): Promise<number> {
    const [, ...most] = this.#members
    const killed = most.flatMap((member) => this.#running.get(member) ?? [])
    const ended = killed.map((child) => once(child, 'exit'))
    for (const child of killed) child.kill('SIGKILL')
    await Promise.all(ended)
    for (const member of most) this.#running.delete(member)
    return killed.length
  }

  /** Starts the etcds that are not running. Returns once all have a leader. */
  async restart(): Promise<void> {
    for (const member of this.#members) if (!this.#running.has(member)) this.#start(member)
    for (const member of this.#members) await this.#healthy(member)
  }

  async close(): Promise<void> {
    for (const child of this.#running.values()) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    await Promise.all(this.proxies.map((proxy) => proxy.close()))
  }

  #start(member: Member): void {
    const url = (port: number) => `http://127.0.0.1:${port}`
    const log = openSync(join(this.#directory, `${member.name}.log`), 'a')
    const child = spawn(
      this.#program,
      [
        ...['--name', member.name, '--data-dir', join(this.#directory, member.name)],
        ...['--initial-cluster-state', 'new', '--initial-cluster-token', 'ratafia'],
        ...['--initial-cluster', this.#members.map(({ name, peers }) => `${name}=${url(peers)}`).join(',')],
        ...['--listen-peer-urls', url(member.peers), '--initial-advertise-peer-urls', url(member.peers)],
        // These are ten times the defaults, which a slow machine cannot meet.
        ...['--heartbeat-interval', '1000', '--election-timeout', '10000'],
        ...['--listen-client-urls', url(member.clients), '--advertise-client-urls', url(member.proxy.port)],
      ],
      { ...this.#account, cwd: this.#directory, stdio: ['ignore', log, log] },
    )
    closeSync(log)
    this.#running.set(member, endWithThisProcess(child))
  }

  async #healthy({ name, clients }: Member): Promise<void> {
    await eventually(
      `${name} knows a leader`,
      async () => (await answers(clients, '/health'))?.status === 200,
    )
  }
}
