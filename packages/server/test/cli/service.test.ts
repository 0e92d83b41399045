/** A running service notices what an operator does with `ratafia tokens` and `keys`. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { decodeBase64, decodeBinary } from '@ratafia/macaroon'
import type { Account } from '../../src/accounts/account.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { testProgram } from '../support/program.ts'
import {
  addPerson,
  bearing,
  call,
  logIn,
  refusalOf,
  sessionIdOf,
  type TestService,
} from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const { json, says } = program
  let service: TestService
  let ann: Account
  before(async () => {
    service = await program.serve()
    ann = await addPerson(service, 'ann')
  })
  const whoami = (token: string) => call(service, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })
  /** Waits for the status, because the database notifies the service shortly after the command. */
  const eventuallyAnswers = (status: number, token: string) =>
    eventually(`whoami answers ${status}`, async () => {
      const answer = await whoami(token)
      return answer.status === status ? answer : undefined
    })
  const macaroonOf = (token: string) => {
    const [macaroon] = decodeBinary(decodeBase64(token))
    return macaroon ?? assert.fail('no macaroon')
  }
  /** Returns the id of the root key that a token was minted with: bytes 1 to 4 of the macaroon's id. */
  const rootKeyOf = (token: string) => Buffer.from(macaroonOf(token).id).readUInt32BE(1)

  test('the service soon refuses a token after tokens revoke, and names the operator', async () => {
    await says('tokens list', 'No active sessions.\n')
    await says('tokens list --include-inactive', 'No sessions yet.\n')
    assert.deepEqual(await json('tokens list'), [])
    const token = await logIn(service, ann, { description: 'of the build machine' })
    const other = await logIn(service, await addPerson(service, 'bob'))
    const id = sessionIdOf(macaroonOf(token))

    const [listed, ...more] = await json('tokens list --account ann')
    assert.deepEqual(more, [])
    assert.deepEqual(Object.keys(listed).sort(), [
      ...['description', 'issuer', 'job', 'kind', 'last_used_at', 'last_used_from', 'limits', 'manage'],
      ...['opened_from', 'revoked_at', 'revoked_by', 'rule', 'session_id', 'signed_in', 'username'],
      ...['valid_since', 'valid_until'],
    ])
    assert.deepEqual(
      [listed.session_id, listed.username, listed.description, listed.revoked_at, listed.revoked_by],
      [id, 'ann', 'of the build machine', null, null],
    )
    // The API accepts no such description, but even one from the database must not control the terminal.
    const { query } = service.installation.database
    const evil = 'evil \u001b[2J\u009b2J\u202e'
    await query.updateTable('token_session').set({ description: evil }).where('session_id', '=', id).execute()
    const table = await says(
      'tokens list',
      /^SESSION ID +USERNAME +KIND +VALID SINCE +VALID UNTIL +LAST USED AT +LAST USED FROM +REVOKED AT +REVOKED BY +DESCRIPTION\n/,
    )
    assert.equal(table.trimEnd().split('\n').length, 3)
    assert.doesNotMatch(table.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)

    const revoked = new RegExp(`^The session ${id} was revoked at (\\S+) by operator\\.\n$`)
    const [, at = ''] = revoked.exec(await says(`tokens revoke ${id}`)) ?? []
    assert.deepEqual(refusalOf(await eventuallyAnswers(401, token)), {
      status: 401,
      code: 'macaroon-authorization-required',
      message: `The macaroon was revoked at ${at} by operator. Log in again.`,
    })
    assert.equal((await whoami(other)).status, 200)

    // A second revocation does not replace the first.
    assert.equal((await json(`tokens revoke ${id}`)).revoked_at, at)
    assert.deepEqual(await json('tokens list --account ann'), [])
    const [inactive] = await json('tokens list --account ann --include-inactive')
    assert.deepEqual([inactive.revoked_at, inactive.revoked_by], [at, 'operator'])
    for (const words of ['revoke no-such-session', "revoke ''", 'list --account x']) {
      await program.refuses(`tokens ${words}`, /./)
    }
  })

  test('after keys rotate the service soon mints with the new key, and verifies both', async () => {
    const older = await logIn(service, ann)
    const listed: readonly Record<string, string>[] = await json('keys list')
    const states = (keys: readonly Record<string, unknown>[]) =>
      keys.map(({ kind, id, state }) => `${kind} ${id} ${state}`).sort()
    assert.deepEqual(states(listed), ['discharger 2 active', 'issuer 1 active', 'root 1 active'])
    for (const { kind, created_at = '', public_key } of listed) {
      assert.match(created_at, /^\d{4}-.*Z$/)
      if (kind === 'root') assert.equal(public_key, null)
      else assert.equal(Buffer.from(public_key ?? '', 'base64').length, 32)
    }
    const added = await json('keys rotate')
    assert.deepEqual([added.kind, added.id, added.state], ['root', 2, 'active'])
    await says(
      'keys rotate --discharger',
      'Added the discharger key 3, which is now in use. Everything created with older keys stays valid.\n',
    )
    assert.deepEqual(states(await json('keys list')), [
      ...['discharger 2 verifies', 'discharger 3 active', 'issuer 1 active'],
      ...['root 1 verifies', 'root 2 active'],
    ])
    await says('keys list', /^KIND +ID +STATE +CREATED AT +PUBLIC KEY\nroot +2 +active /)

    const newer = await eventually('the service mints with the new key', async () => {
      const token = await logIn(service, ann)
      return rootKeyOf(token) === 2 ? token : undefined
    })
    assert.equal(rootKeyOf(older), 1)
    assert.deepEqual([(await whoami(older)).status, (await whoami(newer)).status], [200, 200])
  })
})
