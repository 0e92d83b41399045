/** The mail server's answers are handled, and passwords are never sent in clear text. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { testMailServer } from '../../test/support/mail-server.ts'
import { type Letter, type MailServer, smtpMailer } from './smtp-mailer.ts'

const FROM = { name: 'Störe', address: 'store@example.com' }
const letter = (email = 'ada@example.org'): Letter => ({
  to: { username: 'ada' as never, name: 'Ada', email },
  subject: 'a token expires',
  text: 'line\n.\nline\n',
  id: 'one',
  date: new Date('2026-12-03T00:00:00Z'),
  unsubscribe: 'https://store.example.com/console/me',
})
const LOGIN = { user: 'u', password: 'hunter2' }
const serverAt = (port: number, more: Partial<MailServer> = {}): MailServer => ({
  ...{ host: '127.0.0.1', port, secure: false, loopback: true, login: LOGIN },
  ...more,
})

const server = testMailServer()
// It offers STARTTLS, with an untrusted certificate.
const withTls = testMailServer({ disabledCommands: [] })

test('an e-mail arrives unchanged', async () => {
  assert.deepEqual(await smtpMailer(serverAt(server.port), FROM)(letter()), { result: 'delivered' })
  const [got] = server.take()
  assert.equal(got?.text, 'line\n.\nline\n')
  assert.deepEqual(got?.headers.get('message-id'), ['<one@example.com>'])
  assert.deepEqual(got?.headers.get('from'), ['Störe <store@example.com>'])
  assert.deepEqual(got?.headers.get('to'), ['ada@example.org'])
  assert.deepEqual(got?.headers.get('auto-submitted'), ['auto-generated'])
  assert.equal(server.logins.at(-1), 'u:hunter2')
})

test('guarantee: over a network, a password is sent only with TLS and a trusted certificate', async () => {
  for (const { port, logins, take } of [server, withTls]) {
    const before = logins.length
    const delivery = await smtpMailer(serverAt(port, { loopback: false }), FROM)(letter())
    assert.equal(delivery.result, 'away')
    assert.deepEqual([logins.length, take()], [before, []])
  }
  // Without a password, a server that offers TLS gets mail with TLS, or none.
  const open = serverAt(withTls.port, { loopback: false, login: undefined })
  assert.equal((await smtpMailer(open, FROM)(letter())).result, 'away')
  assert.deepEqual(withTls.take(), [])
})

test('a 5xx about an e-mail is permanent, a 4xx temporary, and a server error delays all mail', async () => {
  const send = smtpMailer(serverAt(server.port), FROM)
  for (const [code, result] of [
    [550, 'refused'],
    [451, 'later'],
  ] as const) {
    server.refuseWith(code)
    assert.deepEqual(await send(letter()), { result, why: `the mail server answered ${code}` })
  }
  server.refuseWith(undefined)
  await server.stop()
  assert.equal((await send(letter())).result, 'away')
  await server.start()
  assert.equal((await send(letter())).result, 'delivered')
  server.take()
})

const refusing = testMailServer({
  onAuth: (_auth, _session, done) => done(new Error('wrong password hunter2')),
})
test('a refused login counts as a server error, and its message is not repeated', async () => {
  const delivery = await smtpMailer(serverAt(refusing.port), FROM)(letter())
  assert.deepEqual(delivery, {
    result: 'away',
    why: 'the mail server refused the login of RATAFIA_SMTP_URL',
  })
})

const strict = testMailServer({
  onMailFrom: (_address, _session, done) =>
    done(Object.assign(new Error('sender rejected'), { responseCode: 553 })),
})
const closed = testMailServer({ authOptional: false })
test('a refused sender or missing login counts as a server error, and mail waits until it is fixed', async () => {
  assert.deepEqual(await smtpMailer(serverAt(strict.port), FROM)(letter()), {
    result: 'away',
    why: 'the mail server answered 553 to the sender RATAFIA_MAIL_FROM',
  })
  assert.deepEqual(await smtpMailer(serverAt(closed.port, { login: undefined }), FROM)(letter()), {
    result: 'away',
    why: 'the mail server requires a login or TLS first',
  })
})

test('refuses an address that contains a list or a line break', async () => {
  const send = smtpMailer(serverAt(server.port), FROM)
  for (const email of ['a@example.org, b@example.org', 'a@example.org\r\nRCPT TO:<b@example.org>', '<>']) {
    assert.equal((await send(letter(email))).result, 'refused', email)
  }
  assert.deepEqual(server.take(), [])
})

test('a silent server counts as away after a timeout', { timeout: 60_000 }, async () => {
  const silent = createServer()
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  try {
    assert.equal((await smtpMailer(serverAt(port), FROM)(letter())).result, 'away')
  } finally {
    silent.close()
  }
})
