/** Reminders of running services: the jobs of two services on one database, and a service that runs them by itself. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { startService } from '../../src/start/service/service.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { testMailServer } from '../support/mail-server.ts'
import { manage, managementToken } from '../support/managers.ts'
import { startNode } from '../support/nodes.ts'
import { addSession, remindersOf } from '../support/reminders.ts'
import { addPerson, refusalOf } from '../support/service.ts'
import { WEBHOOK_SECRET, webhookReceiver } from '../support/webhook-receiver.ts'

eachDatabase((_kind, _open, fresh) => {
  const mail = testMailServer()
  const webhook = webhookReceiver()

  test('of two services on one database, one queues and sends each reminder', async () => {
    const nodes = [await startNode(await fresh.target()), await startNode(await fresh.target())] as const
    try {
      const [one] = nodes
      const ada = await addPerson(one)
      const ids = await Promise.all(
        Array.from({ length: 20 }, () => addSession(one, ada, { endsIn: 6, description: randomUUID() })),
      )
      const jobs = await Promise.all(
        nodes.flatMap(({ installation }) => [0, 1].map(() => remindersOf(installation, { mail, webhook }))),
      )
      await Promise.all(jobs.map((job) => job.run()))
      const { taken, refused } = webhook.take()
      assert.deepEqual(refused, [])
      assert.deepEqual(taken.map(({ data }) => data['session_id']).toSorted(), ids.toSorted())
      assert.equal(new Set(taken.map(({ id }) => id)).size, ids.length)
      const told = mail.take().flatMap(({ text }) => ids.filter((id) => text.includes(id)))
      assert.deepEqual(told.toSorted(), ids.toSorted())
    } finally {
      for (const node of nodes) await node.close()
    }
  })

  test('a service with a mail server and a webhook sends reminders, and reads a secret from its file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ratafia-reminders-'))
    const node = await startNode(await fresh.target())
    const bob = await addPerson(node)
    const session = await addSession(node, bob, { endsIn: 6 })
    await node.close()
    const [smtp, secret] = [join(directory, 'smtp'), join(directory, 'secret')]
    await writeFile(smtp, `smtp://store:pass@127.0.0.1:${mail.port}\n`, { mode: 0o600 })
    await writeFile(secret, `${WEBHOOK_SECRET}\n`, { mode: 0o600 })
    const start = async (environment: Readonly<Record<string, string>>) => {
      const config = readConfig({
        ...{ RATAFIA_PORT: '0', RATAFIA_DATA_DIR: directory, RATAFIA_BASE_URL: 'http://127.0.0.1:8080' },
        RATAFIA_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        ...{ RATAFIA_SMTP_URL_FILE: smtp, RATAFIA_WEBHOOK_URL: webhook.url },
        RATAFIA_WEBHOOK_SECRET_FILE: secret,
        ...environment,
      })
      const log = createLog({ level: 'silent', pretty: false })
      return startService({ config: { ...config, database: await fresh.target() }, log, jobs: true })
    }
    try {
      await assert.rejects(start({ RATAFIA_SMTP_URL_FILE: join(directory, 'none') }), {
        name: 'ConfigError',
        message: /^RATAFIA_SMTP_URL_FILE: .* cannot be read: /,
      })
      const running = await start({})
      try {
        const letter = await eventually('a letter', () =>
          mail.take().find(({ to }) => to.includes(bob.email)),
        )
        assert.equal(letter.from, 'ratafia@localhost')
        assert.ok(letter.text.includes(`http://127.0.0.1:8080/console/tokens/new?from=${session}\n`))
        const event = await eventually('an event', () =>
          webhook.take().taken.find(({ data }) => data['session_id'] === session),
        )
        assert.equal(event.type, 'token.expiring')
      } finally {
        await running.close()
      }
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })

  test("/me/reminders changes only one's own setting, checks the version, and is in the audit log", async () => {
    const node = await startNode(await fresh.target())
    try {
      const [gina, other] = [await addPerson(node), await addPerson(node)]
      const token = await managementToken(node, gina)
      const patch = (body: object, etag: string | undefined, query = '') =>
        manage(node, token, 'PATCH', '/me/reminders', {
          ...{ query, body },
          headers: etag === undefined ? {} : { 'if-match': etag },
        })
      const { status, body, headers } = await manage(node, token, 'GET', '/me/reminders')
      assert.deepEqual([status, body], [200, { reminders: true, email: gina.email, sent_by: [] }])
      const etag = headers.get('etag') ?? ''
      assert.equal(refusalOf(await patch({ reminders: false }, undefined)).code, 'version-required')
      assert.equal(refusalOf(await patch({ reminders: false }, '"other"')).code, 'version-mismatch')
      for (const wrong of [{ reminders: 'off' }, { reminders: null }, { email: 'x@example.org' }]) {
        assert.equal((await patch(wrong, etag)).status, 400, JSON.stringify(wrong))
      }
      const tried = await patch({ reminders: false }, etag, '?dry_run=true')
      assert.deepEqual(tried.body, { reminders: false, email: gina.email, sent_by: [] })
      const isOff = async (id: string) =>
        (await node.installation.accounts.findById(id as never))?.remindersOffAt !== undefined
      assert.equal(await isOff(gina.id), false, 'it was only tried')
      const off = await patch({ reminders: false }, etag)
      assert.deepEqual([off.status, off.body], [200, { reminders: false, email: gina.email, sent_by: [] }])
      assert.deepEqual([await isOff(gina.id), await isOff(other.id)], [true, false])
      const again = await patch({ reminders: false }, off.headers.get('etag') ?? '')
      assert.equal(again.status, 200)
      assert.equal((await patch({}, off.headers.get('etag') ?? '')).body.reminders, false)
      await patch({ reminders: true }, off.headers.get('etag') ?? '')
      assert.equal(await isOff(gina.id), false)
      const rows = await node.installation.database.query
        .selectFrom('audit_entry')
        .select(['action', 'actor', 'subject'])
        .where('subject', '=', gina.username)
        .where('action', 'like', 'account.reminders-%')
        .orderBy('id')
        .execute()
      assert.deepEqual(
        rows.map(({ action, actor }) => [action, actor]),
        ['off', 'on'].map((state) => [`account.reminders-${state}`, `account:${gina.username}`]),
      )
      assert.equal((await manage(node, 'x', 'GET', '/me/reminders')).status, 401)
    } finally {
      await node.close()
    }
  })
})
