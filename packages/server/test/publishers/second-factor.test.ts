/** Programs that log in with a password, for accounts that have a second factor or no password logins. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeAt } from '../../src/accounts/second-factor/totp.ts'
import { enableSecondFactor, switchPasswordLogins } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  addPublisher,
  caveatIdOf,
  getPasswordRoot,
  logInWithPassword,
  PASSWORD,
  refresh,
  requestDischarge,
} from '../support/publishers.ts'
import { testService } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const discharge = async (fields: Record<string, unknown>) =>
    requestDischarge(service, {
      ...{ password: PASSWORD, caveat_id: caveatIdOf(await getPasswordRoot(service)) },
      ...fields,
    })
  const outcome = ({ status, body }: Awaited<ReturnType<typeof discharge>>) =>
    status === 200 ? 200 : [status, body.code, body.error_list[0].code]

  test('asks for a code, accepts it once, and accepts a recovery code instead', async () => {
    const { email, id, username } = await addPublisher(service)
    const made = await enableSecondFactor({ account: id, issuer: 'x', instead: false }, service.installation)
    const [recovery = ''] = made.recoveryCodes
    const factor = (await service.installation.secondFactors.of(id))[0] ?? assert.fail()
    const secret =
      service.installation.sealer.unseal(`second-factor:${factor.id}`, factor.sealed) ?? assert.fail()
    const otp = codeAt(secret, service.now())
    const needed = [401, 'TWOFACTOR_REQUIRED', 'twofactor-required']
    for (const none of [{}, { otp: '' }, { otp: null }]) {
      assert.deepEqual(outcome(await discharge({ email, ...none })), needed)
    }
    const wrong = [401, 'INVALID_CREDENTIALS', 'invalid-credentials']
    assert.deepEqual(outcome(await discharge({ email, otp, password: 'wrong password' })), wrong)
    const failed = [401, 'TWOFACTOR_FAILURE', 'twofactor-failure']
    assert.deepEqual(outcome(await discharge({ email, otp: '000000' })), failed)
    assert.equal(outcome(await discharge({ email: email.toUpperCase(), otp })), 200)
    assert.deepEqual(outcome(await discharge({ email, otp })), failed)
    assert.equal(outcome(await discharge({ email: username, otp: recovery })), 200)
    assert.deepEqual(outcome(await discharge({ email, otp: recovery })), failed)
  })

  test('refuses an account without password logins after the right password and before any code', async () => {
    const { email, id } = await addPublisher(service)
    await enableSecondFactor({ account: id, issuer: 'x', instead: false }, service.installation)
    await switchPasswordLogins({ account: id, on: false }, service.installation)
    const off = await discharge({ email })
    assert.equal(off.body.code, 'PASSWORD_LOGIN_OFF')
    assert.match(off.body.message, /^Programs cannot log in with the password of this account\./)
    const wrong = await discharge({ email, password: 'wrong password' })
    assert.equal(wrong.body.code, 'INVALID_CREDENTIALS')
    await switchPasswordLogins({ account: id, on: true }, service.installation)
    assert.equal((await discharge({ email })).body.code, 'TWOFACTOR_REQUIRED')
  })

  test('does not refresh an earlier login while the account has no password logins', async () => {
    const person = await addPublisher(service)
    const { discharge: given } = await logInWithPassword(service, person)
    await switchPasswordLogins({ account: person.id, on: false }, service.installation)
    assert.equal((await refresh(service, given)).body.code, 'PASSWORD_LOGIN_OFF')
    await switchPasswordLogins({ account: person.id, on: true }, service.installation)
    assert.equal((await refresh(service, given)).status, 200)
  })
})
