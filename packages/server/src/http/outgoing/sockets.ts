/** Connections to issuers: each address of a name is checked in the connection's own look-up. */
import type { LookupAddress } from 'node:dns'
import { lookup as lookUp } from 'node:dns/promises'
import { once } from 'node:events'
import {
  connect as connectTo,
  isIP,
  type LookupFunction,
  type Socket,
  type TcpNetConnectOpts,
} from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { hostIn } from '../../addresses/address-classes.ts'
import { request } from '../../node-http.ts'
import { addressRefusal, type DocumentSource, type Target } from './allowed-addresses.ts'

export interface SocketOptions {
  /**
   * `http://HOST:PORT`, or with `USER:PASSWORD@`: a proxy that connects to public issuers. It looks up names itself, so
   * their addresses are not checked here. Issuers in private networks or on this machine are reached without it.
   */
  readonly proxy?: string | undefined
  /** Returns every address of a name. Default: the system's look-up. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>
  /** Default: `connect` of `node:net`. */
  readonly connect?: (options: TcpNetConnectOpts) => Socket
}

/** Rejects with the refusal of an address, or as `node:net` and `node:tls` do. */
export async function openSocket(
  target: Target,
  from: DocumentSource,
  { proxy, resolve = everyAddress, connect = connectTo }: SocketOptions,
  signal: AbortSignal,
): Promise<Duplex> {
  const { host, port, secure } = target
  const direct = proxy === undefined || target.loopback || from.privateAddresses.length > 0
  const socket = direct
    ? await connected(connect({ host, port, lookup: checkedLookup(resolve, from) }), signal)
    : await throughProxy(new URL(proxy), target, connect, signal)
  if (!secure) return socket
  // Even if NODE_TLS_REJECT_UNAUTHORIZED is set. The certificate is checked for the name, or for the address.
  const name = isIP(host) === 0 ? { servername: host } : {}
  return connectTls({ socket, host, ...name, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] })
}

async function connected(socket: Socket, signal: AbortSignal): Promise<Socket> {
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

const everyAddress = (host: string): Promise<readonly LookupAddress[]> => lookUp(host, { all: true })

/** The connection uses an address that was checked here: no second look-up can return another one. */
function checkedLookup(
  resolve: (host: string) => Promise<readonly LookupAddress[]>,
  from: DocumentSource,
): LookupFunction {
  const checked = async (host: string) => {
    const found = await resolve(host)
    for (const { address } of found) {
      const refusal = addressRefusal(host, address, from)
      if (refusal) throw refusal
    }
    return found
  }
  return (host, { all }, callback) =>
    void checked(host).then(
      ([first, ...more]) => {
        if (!first) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '')
        else if (all) callback(null, [first, ...more])
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, ''),
    )
}

function throughProxy(
  proxy: URL,
  { host, port }: Target,
  connect: NonNullable<SocketOptions['connect']>,
  signal: AbortSignal,
): Promise<Duplex> {
  const wanted = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const { username, password } = proxy
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  return new Promise((resolve, reject) => {
    request({
      method: 'CONNECT',
      path: wanted,
      headers: {
        host: wanted,
        ...(username !== '' && { 'proxy-authorization': `Basic ${login.toString('base64')}` }),
      },
      createConnection: () => connect({ host: hostIn(proxy), port: Number(proxy.port) || 80 }),
      signal,
    })
      .on('connect', ({ statusCode }, socket, head) => {
        if (statusCode !== 200) {
          socket.destroy()
          return reject(new Error(`the proxy answered with status ${statusCode}`))
        }
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
      })
      .on('response', (response) => {
        response.destroy()
        reject(new Error(`the proxy answered with status ${response.statusCode}`))
      })
      .on('error', reject)
      .end()
  })
}
