/**
 * Guarantee: if the URL asks for TLS, neither statements nor the listener send anything to a server unless its
 * certificate is from a trusted authority and for the host in the URL.
 */
import assert from 'node:assert/strict'
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Postgres } from '../../faults/world/postgres.ts'
import { readConfig } from '../../packages/server/src/config/config.ts'
import { openDatabase } from '../../packages/server/src/database/index.ts'
import { startNode } from '../../packages/server/test/support/nodes.ts'
import { unprivilegedAccount } from '../../tools/test/postgres.ts'
import { type Authority, makeAuthority } from './support/certificates.ts'

suite('TLS to the database', () => {
  let directory: string
  let server: Postgres
  let authority: Authority
  let stranger: Authority
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ratafia-tls-'))
    // The server's own account reads its certificate here.
    chmodSync(directory, 0o755)
    authority = makeAuthority(directory, 'authority')
    stranger = makeAuthority(directory, 'stranger')
    server = await Postgres.start(join(directory, 'server'))
  })
  after(async () => {
    await server.stop()
    rmSync(directory, { recursive: true })
  })

  const serveWith = async ({ certificate, key }: ReturnType<Authority['issue']>) => {
    const own = join(directory, 'server', 'server.key')
    copyFileSync(key, own)
    chmodSync(own, 0o600)
    if (process.getuid?.() === 0) {
      const { uid, gid } = unprivilegedAccount()
      chownSync(own, uid, gid)
    }
    await server.restart(['ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${own}`])
  }
  /** Returns the target that the service reads from the URL. */
  const targetOf = (parameters: string, host = 'localhost') => {
    const url = server.url('postgres').replace('127.0.0.1', host)
    const { database } = readConfig({
      RATAFIA_DATABASE_URL: `${url}?${parameters}`,
      RATAFIA_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    })
    assert.ok(database.kind === 'postgres')
    return database
  }
  const connect = async (parameters: string, host?: string) => {
    const database = await openDatabase(targetOf(parameters, host))
    try {
      const rows = await server.query(
        `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'ratafia'`,
      )
      return rows.map(({ ssl }) => ssl)
    } finally {
      await database.close()
    }
  }
  const root = (of: Authority) => `sslrootcert=${encodeURIComponent(of.file)}`

  test('a certificate for the host is accepted if its authority is trusted', async () => {
    await serveWith(authority.issue('db', ['DNS:localhost', 'IP:127.0.0.1']))
    for (const host of ['localhost', '127.0.0.1']) {
      for (const mode of ['verify-full', 'require']) {
        assert.deepEqual(await connect(`sslmode=${mode}&${root(authority)}`, host), [true], `${mode} ${host}`)
      }
    }
    assert.deepEqual(await connect('sslmode=no-verify'), [true])
    for (const [parameters, message] of [
      ['sslmode=verify-full', /self-signed certificate|unable to verify/],
      ['sslmode=require', /self-signed certificate|unable to verify/],
      [`sslmode=verify-full&${root(stranger)}`, /unable to verify|self-signed|signature/],
    ] as const) {
      await assert.rejects(connect(parameters), { name: 'Unavailable', message })
    }
  })

  test('the listener and the statements of a node use TLS', async () => {
    const target = targetOf(`sslmode=verify-full&${root(authority)}`)
    const node = await startNode(target)
    try {
      for (;;) {
        const rows = await server.query(
          `select application_name, bool_and(ssl) as ssl from pg_stat_ssl join pg_stat_activity using (pid)
            where application_name like 'ratafia%' group by 1 order by 1`,
        )
        assert.ok(rows.every(({ ssl }) => ssl))
        if (rows.length === 2) break
        await sleep(20)
      }
    } finally {
      await node.close()
    }
  })

  test('a certificate for another host is refused', async () => {
    await serveWith(authority.issue('elsewhere', ['DNS:db.example.com', 'IP:192.0.2.1']))
    for (const host of ['localhost', '127.0.0.1']) {
      for (const mode of ['verify-full', 'verify-ca', 'require', 'prefer']) {
        await assert.rejects(connect(`sslmode=${mode}&${root(authority)}`, host), {
          name: 'Unavailable',
          message: /does not match certificate/,
        })
      }
    }
  })

  test('a server without TLS is refused unless the URL disables TLS', async () => {
    await server.restart(['ssl=off'])
    for (const mode of ['verify-full', 'require', 'prefer', 'no-verify']) {
      await assert.rejects(connect(`sslmode=${mode}`), {
        name: 'Unavailable',
        message: /does not support SSL/,
      })
    }
    assert.deepEqual(await connect('sslmode=disable'), [false])
  })
})
