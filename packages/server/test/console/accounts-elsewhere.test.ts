/** Accounts in the console if another identity service keeps the passwords. Then there are no set-password links. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { isUsername } from '@ratafia/api'
import { freePort } from '../../../../tools/test/free-port.ts'
import { addAccount } from '../support/accounts.ts'
import { browserWith, textOf } from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { Browser } from '../support/identity.ts'
import { giveRoles, manage } from '../support/managers.ts'
import { testService } from '../support/service.ts'
import { standaloneIdentity } from '../support/standalone-identity.ts'

const PASSWORD = 'correct horse battery'
const SESSION = 'ratafia-console'

const port = await freePort()

describe('accounts whose passwords another identity service keeps', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh, { RATAFIA_IDENTITY_URL: `http://127.0.0.1:${port}` })
    const identity = standaloneIdentity(service, port)

    before(async () => {
      const chief = { username: 'chief', email: 'chief@example.org', name: 'Chief', password: PASSWORD }
      await addAccount(chief, identity().installation)
    })

    const cookieOf = async (): Promise<string> => {
      const browser = new Browser()
      const to = (await browser.goneTo(`${service.baseUrl}/console/sign-in?to=/console/tokens`)) ?? ''
      const form = await browser.open(to)
      const confirm = await browser.submit(form, 'login', { username: 'chief', password: PASSWORD })
      await browser.open((await browser.leave(confirm, 'confirm', { decision: 'approve' })) ?? '')
      return browser.cookies.get(SESSION) ?? assert.fail('not signed in')
    }

    test('creates an account without a link, and explains where passwords are kept', async () => {
      const { body: me } = await manage(service, await cookieOf(), 'GET', '/me')
      await giveRoles(service, { id: me.id }, 'operator')
      const console = browserWith(service, new Map([[SESSION, await cookieOf()]]))
      const form = await console.open('/console/accounts/new')
      assert.equal(form.status, 200)
      const fields = { username: 'newcomer', name: 'New', email: 'new@example.org', role: 'viewer' }
      const made = await console.submit(form, '/console/accounts/new', fields)
      assert.deepEqual([made.status, made.location], [303, '/console/accounts/newcomer'])
      const page = await console.open(made.location ?? '')
      assert.match(
        textOf(page),
        /Account newcomer created, without a link: Another identity service manages the passwords/,
      )
      assert.match(textOf(page), /viewer all/)
      const { username } = fields
      assert.ok(isUsername(username))
      assert.ok(await service.installation.accounts.findByUsername(username))
      const refused = await console.get('/console/accounts/newcomer/password-link')
      assert.equal(refused.status, 200)
      assert.match(textOf(refused), /Set a new one there/)
      assert.doesNotMatch(refused.text, /action="\/console\/accounts/)
    })
  })
})
