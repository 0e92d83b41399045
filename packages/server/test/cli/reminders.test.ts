/** `ratafia accounts reminders`, on the database and over HTTP. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { oneDatabase } from '../support/databases.ts'
import { overHttp } from '../support/over-http.ts'
import { testProgram } from '../support/program.ts'
import { addPerson } from '../support/service.ts'

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const there = overHttp(program)
  const { over, tokenOf } = there
  before(async () => {
    for (const name of ['ann', 'bob', 'eve']) await addPerson(there.service, name)
  })

  test('reminders on explains that no mail is sent without a mail server', async () => {
    const words = ['accounts', 'reminders', 'on', 'eve']
    const without = await program.run(words)
    assert.match(
      without.stdout,
      /^eve gets reminders by mail once the service sends mail\. .*RATAFIA_SMTP_URL/,
    )
    const environment = { RATAFIA_SMTP_URL: 'smtp://127.0.0.1:9' }
    assert.equal((await program.run(words, { environment })).stdout, 'eve gets reminders by mail.\n')
    assert.equal((await program.run('accounts reminders off ann')).code, 0)
    const switched = ['ann', 'bob'].map((name) => program.json('accounts', 'show', name))
    assert.deepEqual(
      (await Promise.all(switched)).map(({ reminders }) => reminders),
      [false, true],
    )
    const mine = await over('accounts reminders on --mine', await tokenOf('viewer'))
    assert.match(mine.stdout, /^You get reminders by mail once the service sends mail\. /)
  })

  test('--mine changes the reminders of the caller, regardless of their role', async () => {
    const token = await tokenOf('viewer')
    const { code, stdout } = await over('accounts reminders off --mine', token)
    assert.deepEqual([code, stdout], [0, 'You get no more reminders by mail.\n'])
    const on = await over('accounts reminders on --mine --json', token)
    assert.equal(JSON.parse(on.stdout).reminders, true)
    const others = await over('accounts reminders off eve', token)
    assert.equal(others.code, 1)
    assert.equal((await program.json('accounts show eve')).reminders, true)
  })

  test('refuses ambiguous arguments', async () => {
    for (const [words, reason] of [
      [['maybe', 'ann'], /Give "on" or "off"/],
      [['off'], /Pass usernames, or --mine over HTTP/],
      [['off', 'ann', '--mine'], /Pass either usernames or --mine/],
      [['off', '--mine'], /--mine requires a service/],
    ] as const) {
      await program.refuses(['accounts', 'reminders', ...words], reason, 2)
    }
  })
})
