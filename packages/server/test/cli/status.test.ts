/** `ratafia status` and `ratafia config check`. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Finding } from '../../src/status/read-status.ts'
import { eachDatabase, oneDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(fresh)
  const statusOf = async (environment = {}) => {
    const { code, stdout } = await program.run('status --json', { environment })
    const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
    return { code, states: Object.fromEntries(findings.map(({ part, state }) => [part, state])), findings }
  }

  test('status exits with 1 if no service runs, and shows the parts that need attention', async () => {
    assert.equal((await program.run('migrate')).code, 0)
    // Nothing listens on port 9 (discard).
    const { code, states } = await statusOf({ RATAFIA_PORT: '9' })
    assert.equal(code, 1)
    assert.deepEqual(states, {
      service: 'attention',
      nodes: 'unknown',
      jobs: 'attention',
      bulk_jobs: 'ok',
      database: 'ok',
      schema: 'ok',
      clock: 'ok',
      secret_key: 'ok',
      keys: 'ok',
      signing_keys: 'ok',
      issuers: 'ok',
      certificates: 'ok',
      audit_log: 'ok',
      backup: kind === 'sqlite' ? 'attention' : 'unknown',
      sign_in_links: 'ok',
      reminders: 'ok',
    })
  })

  test('with a service and a backup nothing needs attention', async () => {
    const service = await program.start()
    const { port } = new URL(service.baseUrl)
    assert.equal((await program.run(['backup', join(program.directory, 'one')])).code, 0)
    const [entry] = await program.json('audit list --action database.backup')
    assert.equal(entry.actor, 'operator')
    const { leases } = await program.open()
    // Processes take the leases a moment after they start.
    while (!(await leases.held()).includes('audit-link'))
      await new Promise((resolve) => setTimeout(resolve, 50))
    const { code, states, findings } = await statusOf({ RATAFIA_PORT: port })
    assert.deepEqual([code, Object.values(states).filter((state) => state !== 'ok')], [0, []])
    const says = (part: string) => findings.find((finding) => finding.part === part)?.says ?? ''
    assert.equal(says('service'), `http://127.0.0.1:${port} accepts requests.`)
    assert.match(says('jobs'), /audit-link/)
    assert.match(says('nodes'), /^One process is running on one machine, with release \d/)
    const { stdout } = await program.run('status', { environment: { RATAFIA_PORT: port } })
    assert.match(stdout, /^ok {9}service: {6}http:/)
    assert.equal((await service.end('SIGTERM')).code, 0)
    // The node signed off when it ended.
    assert.equal((await statusOf({ RATAFIA_PORT: port })).states['nodes'], 'unknown')
  })

  test('a second secret key that is still set needs attention', async () => {
    const environment = { RATAFIA_PREVIOUS_SECRET_KEY: Buffer.alloc(32, 3).toString('hex') }
    assert.equal((await statusOf(environment)).states['secret_key'], 'attention')
  })

  test('status shows whether mail is on', async () => {
    for (const [environment, says] of [
      [{}, /^ok +reminders: +Mail is off: .*RATAFIA_SMTP_URL.*RATAFIA_WEBHOOK_URL/m],
      [{ RATAFIA_SMTP_URL: 'smtp://127.0.0.1:9' }, /^ok +reminders: +Mail is on: /m],
    ] as const) {
      assert.match((await program.run('status', { environment })).stdout, says)
    }
  })
})

describe('config check', () => {
  oneDatabase(() => {
    const program = testProgram()
    const check = (environment: Record<string, string>, ...words: string[]) =>
      program.run(['config', 'check', ...words], { environment })

    test('accepts a valid configuration of a new installation, and creates nothing', async () => {
      const data = join(program.directory, 'data')
      await program.says(
        'config check',
        /^The settings are valid\. Database: SQLite, .*ratafia\.db: it does not exist yet, and `ratafia serve` or `ratafia migrate` creates it\. Clients reach the service at http/,
      )
      assert.equal(existsSync(data), false)
      assert.equal((await check({}, '--connect')).code, 4, 'a database that does not exist was accepted')
      assert.equal(existsSync(data), false)
    })

    test('prints what it checked', async () => {
      const environment = { RATAFIA_DATA_DIR: join(program.directory, 'looked') }
      assert.equal((await program.run('migrate', { environment })).code, 0)
      const without = await check(environment)
      assert.match(without.stdout, /The database \(.*ratafia\.db\) was not checked; pass --connect\. Clients/)
      const connected = await check(environment, '--connect')
      assert.match(connected.stdout, /ratafia\.db: it answers, and its keys can be opened\. Clients/)
      const document = JSON.parse((await check({}, '--json')).stdout)
      assert.deepEqual([document.connected, document.database_exists], [false, false])
    })

    const https = { RATAFIA_BASE_URL: 'https://store.example.com' }
    for (const [environment, warning] of [
      [{}],
      [{ RATAFIA_HOST: '::1' }],
      [{ RATAFIA_BASE_URL: 'http://127.0.0.2:8080/store' }],
      [{ RATAFIA_BASE_URL: 'http://ratafia.localhost' }],
      [https, 'RATAFIA_BASE_URL is https, but RATAFIA_TRUSTED_PROXIES is not set\\.'],
      [{ ...https, RATAFIA_TRUSTED_PROXIES: '127.0.0.1' }],
      [{ RATAFIA_BASE_URL: 'http://store.example.com' }, 'RATAFIA_BASE_URL makes store\\.example\\.com '],
      [
        { RATAFIA_BASE_URL: 'http://10.0.0.7:8080' },
        'RATAFIA_BASE_URL makes 10\\.0\\.0\\.7 reachable over http',
      ],
      [{ RATAFIA_HOST: '192.0.2.1' }, 'RATAFIA_HOST makes 192\\.0\\.2\\.1 reachable over http'],
    ] as const) {
      test(`warns about an unlikely address: ${Object.values(environment).join(', ') || 'default'}`, async () => {
        const { code, stderr } = await check(environment)
        assert.equal(code, 0)
        assert.match(stderr, warning ? new RegExp(`^ratafia: warning: ${warning}.*\n$`) : /^$/)
      })
    }

    for (const [environment, message] of [
      [
        { RATAFIA_PORT: 'x', RATAFIA_ACCOUNTS: 'y' },
        /^ratafia: RATAFIA_PORT .*\nratafia: RATAFIA_ACCOUNTS .*\n$/,
      ],
      [
        {
          RATAFIA_DATABASE_URL: 'postgres://127.0.0.1:1/x?sslmode=verify-full&sslrootcert=/none.pem',
          RATAFIA_SECRET_KEY_FILE: '/none.key',
        },
        /RATAFIA_DATABASE_URL: the sslrootcert .*\nratafia: RATAFIA_SECRET_KEY_FILE: .*\n$/,
      ],
      [
        {
          ...{ RATAFIA_SMTP_URL_FILE: '/none.smtp', RATAFIA_WEBHOOK_URL: 'https://hooks.example.com/' },
          RATAFIA_WEBHOOK_SECRET_FILE: '/none.secret',
        },
        /RATAFIA_SMTP_URL_FILE: \/none\.smtp cannot be read: .*\nratafia: RATAFIA_WEBHOOK_SECRET_FILE: .*\n$/,
      ],
    ] as const) {
      test(`prints each problem of ${Object.keys(environment).join(', ')} on its own line`, async () => {
        await program.refuses('config check', message, 4, { environment })
      })
    }

    test('--connect exits with 3 if the database does not answer', async () => {
      const environment = {
        RATAFIA_DATABASE_URL: 'postgres://127.0.0.1:1/x',
        RATAFIA_SECRET_KEY: Buffer.alloc(32, 1).toString('hex'),
      }
      assert.equal((await check(environment)).code, 0)
      assert.equal((await check(environment, '--connect')).code, 3)
    })
  })
})
