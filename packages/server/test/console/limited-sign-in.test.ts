/** A management token with limits as the cookie of a browser. Credentials that it created would not have its limits. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { browserOf, browserWith, textOf } from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { addManager, giveRoles, managementToken, managerToken } from '../support/managers.ts'
import { GITHUB, givenIssuer } from '../support/rules.ts'
import { addPerson, narrowed, testService } from '../support/service.ts'

const OF_GITHUB = `/console/publishers/new?issuer=${encodeURIComponent(GITHUB)}`
const FORMS = [
  [
    '/console/tokens/new',
    '/console/tokens/new',
    {
      description: 'ci',
      permissions: 'package_access',
      all_packages: 'on',
      channels: 'edge',
      life: '30',
      do: 'make',
    },
  ],
  ['/console/me/agents/new', '/console/me/agents/new', { name: 'line', permission: 'package_access' }],
  [
    OF_GITHUB,
    '/console/publishers/new',
    {
      ...{ name: 'release', 'claim-0': '74', 'claim-1': '65', 'claim-2': 'release', do: 'make' },
      ...{ permissions: 'package_upload', packages: 'hello', lifetime: '10' },
    },
  ],
] as const

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  before(() => givenIssuer(service.installation.database, GITHUB, 'github'))
  /** Returns whether each form created its credential. */
  const made = async (token: string) => {
    const browser = await browserOf(service, token)
    const results: string[] = []
    for (const [path, action, fields] of FORMS) {
      const answer = await browser.submit(await browser.get(path), action, fields)
      const isRefused =
        answer.status === 403 &&
        /Your sign-in has fewer permissions than your account, and what you/.test(textOf(answer))
      results.push(isRefused ? 'refused' : `${answer.status}`)
    }
    return results
  }
  test('Guarantee: the token of `ratafia login`, sent as the cookie, cannot create a token, agent or rule', async () => {
    const token = await managerToken(service, 'operator')
    const browser = browserWith(service, new Map([['ratafia-console', token]]))
    for (const [path, action, fields] of FORMS) {
      const answer = await browser.submit(await browser.get(path), action, fields)
      assert.equal(answer.status, 403, path)
      assert.match(textOf(answer), /Only a browser that signed in to the console can do this/)
    }
    assert.deepEqual(await rows(), [0, 0, 0])
  })

  const rows = async () => {
    const { query } = service.installation.database
    const count = async (table: 'agent' | 'publisher_rule' | 'token_session') =>
      (await query.selectFrom(table).selectAll().execute()).filter(
        (row) => !('kind' in row) || row.kind === 'developer',
      ).length
    return [await count('token_session'), await count('agent'), await count('publisher_rule')]
  }

  test('Guarantee: a token with limits cannot create a token, agent or rule without them', async () => {
    const [ada, chief] = [await addPerson(service), await addManager(service, 'operator')]
    const promoted = await addPerson(service)
    const ofBefore = await managementToken(service, promoted)
    await giveRoles(service, promoted, 'viewer')
    const limited = [
      await managementToken(service, ada, { read_only: true }),
      narrowed(await managementToken(service, ada), 'manage {"read_only":true}'),
      narrowed(await managementToken(service, chief), 'manage {"brands":["acme"]}'),
      await managementToken(service, chief, { roles: ['viewer'] }),
      await managementToken(service, chief, { brands: ['acme'] }),
      ofBefore,
    ]
    for (const [at, token] of limited.entries()) {
      assert.deepEqual(await made(token), ['refused', 'refused', 'refused'], `${at}`)
    }
    assert.deepEqual(await rows(), [0, 0, 0])
    const whole = await made(await managementToken(service, chief))
    assert.ok(!whole.includes('refused'), whole.join())
    assert.deepEqual(await rows(), [1, 1, 1])
  })
})
