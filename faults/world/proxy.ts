/** A TCP proxy between a node and its database that fails as networks do. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export class TcpProxy {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  /** The target port on 127.0.0.1. */
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

  /** Chunks lost in a hole, since the start. */
  get held(): number {
    return this.#held
  }

  /** Chunks delayed, since the start. */
  get delayed(): number {
    return this.#delayed
  }

  /** Cuts all connections; new ones are accepted. Returns how many were cut. */
  cut(): number {
    const cut = this.#pairs.size
    for (const [one, other] of this.#pairs) {
      one.resetAndDestroy()
      other.resetAndDestroy()
    }
    return cut
  }

  /** Delays each chunk from now on, in both directions. */
  delay(milliseconds: number): void {
    this.#delayMs = milliseconds
  }

  /** Silently passes nothing; new connections are accepted but get no answer. */
  blackHole(): void {
    this.#holding = true
  }

  /**
   * Restores the network. Older connections stay silent, as if a router had forgotten them, unless `alive` lets them
   * continue.
   */
  heal({ alive = false } = {}): void {
    this.#holding = false
    this.#delayMs = 0
    if (!alive) this.cut()
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
      // While nothing passes, neither does the end of a connection.
      socket.on('close', () => this.#holding || end())
    }
    this.#pass(incoming, outgoing)
    this.#pass(outgoing, incoming)
  }

  #pass(from: Socket, to: Socket): void {
    const late: Buffer[] = []
    from.on('data', (chunk) => {
      // Bytes sent into the hole are lost, so the connection must be cut when the network is back.
      if (this.#holding) {
        this.#held++
      } else if (this.#delayMs === 0 && late.length === 0) {
        to.write(chunk)
      } else {
        this.#delayed++
        late.push(chunk)
        // The oldest chunk, whichever timer fires first: a stream keeps its order when the delay changes.
        setTimeout(() => {
          const next = late.shift()
          if (next && !this.#holding && !to.destroyed) to.write(next)
        }, this.#delayMs)
      }
    })
  }
}
