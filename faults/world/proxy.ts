/** A TCP proxy between a node and its database that fails as networks do. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

interface Pair {
  /** The additional delay of each chunk from the target, in milliseconds. */
  answersLateMs: number
  readonly sockets: readonly [Socket, Socket]
  /** The address that connected. */
  readonly client: string | undefined
}

export class TcpProxy {
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  /** The target port on 127.0.0.1. */
  #to: number
  #delayMs = 0
  #answersMs = 0
  /** The address of the client whose traffic is dropped; undefined means all clients. */
  #hole: { readonly client: string | undefined } | undefined
  #held = 0
  #delayed = 0

  private constructor(server: Server, to: number) {
    this.#server = server
    this.#to = to
  }

  static async start(to: number): Promise<TcpProxy> {
    const server = createServer()
    const proxy = new TcpProxy(server, to)
    server.on('connection', (socket) => proxy.#take(socket))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** The number of chunks lost in black holes since the start. */
  get held(): number {
    return this.#held
  }

  /** The number of chunks delayed since the start. */
  get delayed(): number {
    return this.#delayed
  }

  /** Cuts all connections, or those of one client. New ones are accepted. Returns how many were cut. */
  cut(client?: string): number {
    const cut = [...this.#pairs].filter((pair) => client === undefined || pair.client === client)
    for (const { sockets } of cut) for (const socket of sockets) socket.resetAndDestroy()
    return cut.length
  }

  /** Delays each chunk from now on, in both directions. */
  delay(milliseconds: number): void {
    this.#delayMs = milliseconds
  }

  /** Delays each chunk from the target from now on. Each connection has a random delay, up to `milliseconds`. */
  delayAnswers(milliseconds: number): void {
    this.#answersMs = milliseconds
    for (const pair of this.#pairs) pair.answersLateMs = Math.random() * milliseconds
  }

  /** Silently passes nothing, or nothing of one client's address. New connections are accepted but get no answer. */
  blackHole(client?: string): void {
    this.#hole = { client }
  }

  /**
   * Restores the network. Older connections stay silent, as if a router had forgotten them, unless `alive` lets them
   * continue.
   */
  heal({ alive = false } = {}): void {
    const client = this.#hole?.client
    this.#hole = undefined
    this.#delayMs = 0
    this.delayAnswers(0)
    if (!alive) this.cut(client)
  }

  /** Changes the target of new connections and cuts the existing ones. */
  leadTo(port: number): void {
    this.#to = port
    this.cut()
  }

  async close(): Promise<void> {
    this.#server.close()
    this.cut()
    await once(this.#server, 'close')
  }

  #take(incoming: Socket): void {
    const outgoing = connect(this.#to, '127.0.0.1')
    const pair: Pair = {
      ...{ sockets: [incoming, outgoing], client: incoming.remoteAddress },
      answersLateMs: Math.random() * this.#answersMs,
    }
    const held = () => this.#holds(pair)
    this.#pairs.add(pair)
    const end = () => {
      this.#pairs.delete(pair)
      incoming.destroy()
      outgoing.destroy()
    }
    for (const socket of pair.sockets) {
      socket.setNoDelay(true)
      socket.on('error', end)
      // In a black hole, not even the end of a connection passes.
      socket.on('close', () => held() || end())
    }
    this.#pass(incoming, outgoing, held, () => this.#delayMs)
    this.#pass(outgoing, incoming, held, () => this.#delayMs + pair.answersLateMs)
  }

  #holds({ client }: Pair): boolean {
    return this.#hole !== undefined && (this.#hole.client ?? client) === client
  }

  #pass(from: Socket, to: Socket, held: () => boolean, lateMs: () => number): void {
    const late: Buffer[] = []
    from.on('data', (chunk) => {
      // Bytes sent into the black hole are lost, so the connection must be cut when the network is back.
      if (held()) {
        this.#held++
      } else if (lateMs() === 0 && late.length === 0) {
        to.write(chunk)
      } else {
        this.#delayed++
        late.push(chunk)
        // Take the oldest chunk, whichever timer fires first: a stream keeps its order when the delay changes.
        setTimeout(() => {
          const next = late.shift()
          if (next && !held() && !to.destroyed) to.write(next)
        }, lateMs())
      }
    })
  }
}
