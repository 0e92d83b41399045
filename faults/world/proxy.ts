/** A TCP proxy between a node and its database, which does to a connection what networks do. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export class TcpProxy {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  /** The port on 127.0.0.1 that it leads to. */
  #to: number
  #delayMs = 0
  #holding = false
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

  /** Chunks that were lost in a hole, since the start. */
  get held(): number {
    return this.#held
  }

  /** Chunks that were late, since the start. */
  get delayed(): number {
    return this.#delayed
  }

  /** Cuts all connections; new ones are taken. Says how many there were. */
  cut(): number {
    const cut = this.#pairs.size
    for (const [one, other] of this.#pairs) {
      one.resetAndDestroy()
      other.resetAndDestroy()
    }
    return cut
  }

  /** From now on each chunk waits so long, in both directions. */
  delay(milliseconds: number): void {
    this.#delayMs = milliseconds
  }

  /** Nothing passes, and nobody is told; new connections are taken, and get no answer. */
  blackHole(): void {
    this.#holding = true
  }

  /**
   * The network is back. Connections of before stay silent, as when a router has forgotten them; `alive` lets them go
   * on instead.
   */
  heal({ alive = false } = {}): void {
    this.#holding = false
    this.#delayMs = 0
    if (!alive) this.cut()
  }

  /** Where connections lead from now on; those there are are cut. */
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
    const pair = [incoming, outgoing] as const
    this.#pairs.add(pair)
    const end = () => {
      this.#pairs.delete(pair)
      incoming.destroy()
      outgoing.destroy()
    }
    for (const socket of pair) {
      socket.setNoDelay(true)
      socket.on('error', end)
      // Nobody is told of an end either, while nothing passes.
      socket.on('close', () => this.#holding || end())
    }
    this.#pass(incoming, outgoing)
    this.#pass(outgoing, incoming)
  }

  #pass(from: Socket, to: Socket): void {
    const late: Buffer[] = []
    from.on('data', (chunk) => {
      // What was sent into the hole is lost: the connection can only be cut when the network is back.
      if (this.#holding) {
        this.#held++
      } else if (this.#delayMs === 0 && late.length === 0) {
        to.write(chunk)
      } else {
        this.#delayed++
        late.push(chunk)
        // The oldest, whichever timer fires first: a stream keeps its order when the delay changes.
        setTimeout(() => {
          const next = late.shift()
          if (next && !this.#holding && !to.destroyed) to.write(next)
        }, this.#delayMs)
      }
    })
  }
}
