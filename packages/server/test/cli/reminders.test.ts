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
    const words = 'accounts reminders on eve'
    await program.says(words, /^eve gets reminders by mail once the service sends mail\. .*RATAFIA_SMTP_URL/)
    const environment = { RATAFIA_SMTP_URL: 'smtp://127.0.0.1:9' }
    await program.says(words, 'eve gets reminders by mail.\n', { environment })
    await program.says('accounts reminders off ann')
    const switched = ['ann', 'bob'].map((name) => program.json(`accounts show ${name}`))
    assert.deepEqual(
      (await Promise.all(switched)).map(({ reminders }) => reminders),
      [false, true],
    )
  })

  test('--mine changes the reminders of the caller, regardless of their role', async () => {
    const token = await tokenOf('viewer')
    const { code, stdout } = await over('accounts reminders off --mine', token)
    assert.deepEqual([code, stdout], [0, 'You get no more reminders by mail.\n'])
    const on = await over('accounts reminders on --mine', token)
    assert.match(on.stdout, /^You get reminders by mail once the service sends mail\. /)
    assert.equal(
      JSON.parse((await over('accounts reminders on --mine --json', token)).stdout).reminders,
      true,
    )
    assert.equal((await over('accounts reminders off eve', token)).code, 1)
    assert.equal((await program.json('accounts show eve')).reminders, true)
  })

  test('refuses ambiguous arguments', () =>
    program.refusesEach`
      accounts reminders maybe ann | 2 | Give "on" or "off"
      accounts reminders off | 2 | Pass usernames, or --mine over HTTP
      accounts reminders off ann --mine | 2 | Pass either usernames or --mine
      accounts reminders off --mine | 2 | --mine requires a service`)
})
