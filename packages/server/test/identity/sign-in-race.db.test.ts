/** Checking a password is slow on purpose, so changes can happen meanwhile. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { PasswordHasher } from '../../src/accounts/passwords/password-hasher.ts'
import { UNCOUNTED } from '../../src/counting/tally.ts'
import { signedIn } from '../../src/identity/logins/browser-session.ts'
import { signIn } from '../../src/identity/logins/sign-in.ts'
import { createThrottle } from '../../src/identity/logins/throttle.ts'
import { localCounters } from '../../src/limits/counters.ts'
import { addAccount, disableAccount, setPassword } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import { type IdentityWorld, identityWorld } from '../support/identity.ts'

const OLD = 'the one that leaked'

eachDatabase((_kind, open) => {
  let world: IdentityWorld
  before(async () => {
    world = await identityWorld(await open())
  })

  /** Signs in as a new account, and runs an action while the password is checked. */
  const during = async (username: string, act: () => Promise<unknown>) => {
    await addAccount({ username, email: `${username}@example.org`, name: 'X', password: OLD }, world)
    const passwords: PasswordHasher = {
      ...world.passwords,
      verify: async (password, stored) => {
        const right = await world.passwords.verify(password, stored)
        await act()
        return right
      },
    }
    const throttle = createThrottle({ clock: world.clock, counters: localCounters(world) })
    return signIn(
      { username, password: OLD, address: '192.0.2.1' },
      { ...world, tally: UNCOUNTED, passwords, throttle },
    )
  }

  test('revokes a sign-in if a new password was set while the old one was checked', async () => {
    const result = await during('bob', () => setPassword({ account: 'bob', password: 'a new one' }, world))
    const cookie = result.outcome === 'signed-in' ? result.cookie : undefined
    assert.equal(await signedIn(cookie, world), undefined)
    assert.equal(result.outcome, 'wrong')
    assert.deepEqual(await world.database.query.selectFrom('sign_in_session').selectAll().execute(), [])
  })

  test('revokes a sign-in if the account was disabled meanwhile', async () => {
    const result = await during('eve', () => disableAccount('eve', world))
    assert.equal(result.outcome, 'disabled')
    assert.deepEqual(await world.database.query.selectFrom('sign_in_session').selectAll().execute(), [])
  })

  test('keeps a sign-in if nothing happens meanwhile', async () => {
    const result = await during('kim', async () => {})
    assert.equal(result.outcome, 'signed-in')
  })
})
