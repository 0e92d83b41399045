/** Runs Debian's PgBouncer in transaction mode, in front of a database. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithThisProcess, sleep } from '../../../faults/world/processes.ts'
import { freePort } from '../../../tools/test/free-port.ts'
import { ready, unprivilegedAccount } from '../../../tools/test/postgres.ts'

export interface PgBouncer {
  /** The database's URL through PgBouncer. */
  readonly url: string
  readonly version: string
  close(): Promise<void>
}

/** Starts a PgBouncer with two connections to the server. `settings` are lines for the section `[pgbouncer]`. */
export async function startPgBouncer(database: string, settings: readonly string[] = []): Promise<PgBouncer> {
  const url = new URL(database)
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-pgbouncer-'))
  const port = await freePort()
  const file = join(directory, 'pgbouncer.ini')
  writeFileSync(join(directory, 'users'), `"${url.username}" "${url.password}"\n`)
  writeFileSync(
    file,
    `[databases]
* = host=${url.hostname} port=${url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(directory, 'users')}
pool_mode = transaction
default_pool_size = 2
${settings.join('\n')}
`,
  )
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : undefined
  for (const made of account ? [directory, join(directory, 'users'), file] : []) {
    if (account) chownSync(made, account.uid, account.gid)
  }
  let log = ''
  const child = endWithThisProcess(
    spawn('pgbouncer', [file], { ...account, stdio: ['ignore', 'ignore', 'pipe'] }),
  )
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  url.port = String(port)
  await ready(url.href, child, () => log)
  return {
    url: url.href,
    version: execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? '',
    close: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await Promise.race([ended, sleep(2_000).then(() => child.kill('SIGKILL'))])
      await ended
      rmSync(directory, { recursive: true })
    },
  }
}
