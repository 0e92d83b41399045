/**
 * Lets the service answer for the name `dashboard.snapcraft.io`. In production this takes a name server and a
 * certificate, because snapd has no setting for it. Programs reach the name through a proxy (`HTTPS_PROXY`), which
 * reaches nothing else.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { makeCertificate } from './nginx.ts'

const NAME = 'dashboard.snapcraft.io'

export interface Dashboard {
  /** The variables that programs use to find it. */
  readonly environment: Readonly<Record<string, string>>
  /** The address of the service. */
  target: string
  close(): void
}

export async function startDashboard(directory: string): Promise<Dashboard> {
  const [certificate, key] = ['pem', 'key'].map((end) => join(directory, `dashboard.${end}`)) as [
    string,
    string,
  ]
  await makeCertificate(certificate, key, NAME)
  const server = createTlsServer(
    { cert: await readFile(certificate), key: await readFile(key) },
    (from, to) => pass(dashboard.target, from, to),
  )
  const port = await listen(server)
  const proxy = createServer().on('connect', ({ url }, socket) => {
    if (url !== `${NAME}:443`) return socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const end = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    end.on('error', () => socket.destroy()).pipe(socket)
    socket.on('error', () => end.destroy()).pipe(end)
    return socket
  })
  const dashboard: Dashboard = {
    environment: {
      HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}`,
      SSL_CERT_FILE: certificate,
    },
    target: '',
    close: () => {
      for (const one of [server, proxy]) one.close().closeAllConnections()
    },
  }
  return dashboard
}

/** Forwards a request to the service, with the original name as the host. */
function pass(target: string, from: IncomingMessage, to: ServerResponse): void {
  const { method, url, headers } = from
  const there = forward(new URL(url ?? '/', target), { method, headers }, (came) => {
    to.writeHead(came.statusCode ?? 502, came.headers)
    came.pipe(to)
  })
  there.on('error', () => to.destroy())
  from.pipe(there)
}

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}
