/** Runs Debian's nginx with the configuration of examples/nginx, on free ports and with a certificate for the test. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { endWithThisProcess } from './end-with-this-process.ts'
import { clientPaths } from './paths.ts'

export interface Nginx {
  /** `https://localhost:PORT`. */
  readonly url: string
  /** The path of the certificate that clients have to trust. */
  readonly certificate: string
  accessLog(): Promise<string>
  errorLog(): Promise<string>
  close(): Promise<void>
}

export interface NginxOptions {
  /** The directory in which nginx gets its own empty directory. */
  readonly directory: string
  readonly port: number
  /** `HOST:PORT` of each of the service's nodes, in order. */
  readonly nodes: readonly string[]
  readonly store: string
}

export async function startNginx({ directory, port, nodes, store }: NginxOptions): Promise<Nginx> {
  const own = join(directory, `nginx-${port}`)
  await mkdir(own)
  const certificate = join(own, 'store.pem')
  await makeCertificate(certificate, join(own, 'store.key'), 'localhost')
  const example = await readFile(join(clientPaths.root, 'examples/nginx/ratafia.conf'), 'utf8')
  const fitted = replacing(example, [
    ['server 127.0.0.1:8080;', nodes.map((node) => `server ${node};`).join(' ')],
    ['server 127.0.0.1:9000;', `server ${store};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
    ['server_name store.example.com;', 'server_name localhost;'],
    ['/etc/ssl/store.pem', certificate],
    ['/etc/ssl/private/store.key', join(own, 'store.key')],
    ['/var/log/nginx/ratafia.log', join(own, 'access.log')],
    ['/var/log/nginx/error.log', join(own, 'error.log')],
  ])
  await writeFile(join(own, 'ratafia.conf'), fitted)
  await writeFile(join(own, 'nginx.conf'), around(own))
  return {
    url: `https://localhost:${port}`,
    certificate,
    accessLog: () => readFile(join(own, 'access.log'), 'utf8'),
    errorLog: () => readFile(join(own, 'error.log'), 'utf8'),
    close: await run(own, port),
  }
}

/** Starts nginx with examples/nginx/two-nodes.conf, which is a whole configuration without TLS and without a log. */
export async function startTwoNodes({
  directory,
  port,
  nodes: [first = '', second = ''],
}: Omit<NginxOptions, 'store'>): Promise<Pick<Nginx, 'url' | 'close'>> {
  const example = await readFile(join(clientPaths.root, 'examples/nginx/two-nodes.conf'), 'utf8')
  const fitted = replacing(example, [
    ['pid /tmp/ratafia-two-nodes.pid;', settings(directory)],
    ['events {}', 'events { worker_connections 512; }'],
    ['access_log off;', `access_log off; ${temporaryPaths(directory)}`],
    ['listen 127.0.0.1:8080;', `listen 127.0.0.1:${port};`],
    ['server 127.0.0.1:8081;', `server ${first};`],
    ['server 127.0.0.1:8082;', `server ${second};`],
  ])
  await writeFile(join(directory, 'nginx.conf'), fitted)
  return { url: `http://127.0.0.1:${port}`, close: await run(directory, port) }
}

/** Starts nginx with the nginx.conf of the directory. Returns a function that stops it. */
async function run(own: string, port: number): Promise<() => Promise<void>> {
  const words = ['-p', own, '-e', join(own, 'error.log'), '-c', join(own, 'nginx.conf')]
  const child = spawn(clientPaths.nginx, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  endWithThisProcess(child)
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString()
  })
  for (let attempt = 0; !(await listens(port)); attempt++) {
    if (child.exitCode !== null || attempt > 100) throw new Error(`nginx does not start: ${complaint}`)
    await sleep(50)
  }
  return async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
}

/** Returns a replacement for Debian's nginx.conf, to whose directories the tests' user cannot write. */
const around = (own: string): string => `
${settings(own)}
events { worker_connections 512; }
http {
  ${temporaryPaths(own)}
  include ${own}/ratafia.conf;
}
`

const settings = (own: string): string => `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${own}/nginx.pid;
worker_processes 1;
`

const temporaryPaths = (own: string): string =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${own}/${name};`)
    .join(' ')

/** Returns the text with replacements. Throws if a string is missing because the example has changed. */
function replacing(text: string, pairs: readonly (readonly [from: string, to: string])[]): string {
  return pairs.reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`the nginx example does not contain "${from}"`)
    return result.replaceAll(from, to)
  }, text)
}

/** Writes a self-signed certificate for `name` and 127.0.0.1, and its key, to these files. */
export async function makeCertificate(certificate: string, key: string, name: string): Promise<void> {
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`],
    ...['-addext', `subjectAltName=DNS:${name},IP:127.0.0.1`, '-out', certificate, '-keyout', key],
  ])
}

async function listens(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/`)
    return true
  } catch {
    return false
  }
}
