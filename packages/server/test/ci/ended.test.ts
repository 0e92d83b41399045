/** Tests that the tokens of jobs are revoked at once, on every node, even while exchanges are running. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { removeIssuer } from '../../src/ci/issuers/remove.ts'
import { disableRule } from '../../src/ci/rules/managing/disable-rule.ts'
import { removeRule } from '../../src/ci/rules/managing/remove-rule.ts'
import { disableAccount, removeAccount } from '../support/accounts.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventuallyPasses } from '../support/eventually.ts'
import { exchange, fieldsOf, idTokenOf, vectorIssuers, withRule } from '../support/exchanges.ts'
import { ruleNamed } from '../support/id-tokens.ts'
import { startNode, type TestNode } from '../support/nodes.ts'
import { addPerson, call, whoami } from '../support/service.ts'

const GITHUB = 'github-environment'
const BASE_URL = 'https://store.example.com'

eachDatabase((kind, _open, fresh) => {
  const issuers = vectorIssuers()
  const nodes: TestNode[] = []
  before(async () => {
    const target = await fresh.target()
    // On SQLite there is one process, so one node.
    for (let i = 0; i < (kind === 'sqlite' ? 1 : 2); i++) {
      nodes.push(await startNode(target, { RATAFIA_BASE_URL: BASE_URL, RATAFIA_RATE_LIMITS: 'off' }))
    }
  })
  after(async () => {
    for (const node of nodes) await node.close()
  })
  const first = () => nodes[0] ?? assert.fail('no node')
  const other = () => nodes.at(-1) ?? assert.fail('no node')
  const idToken = (issuerOf: string) =>
    idTokenOf(GITHUB, { service: first(), issuers, rule: issuerOf }, { audience: BASE_URL })
  const rule = ruleNamed(GITHUB)

  let last = 0
  /** Adds a rule with an account and, depending on `issuerOf`, an issuer of its own. */
  async function madeRule(issuerOf = GITHUB) {
    const { username } = await addPerson(first())
    const name = `rule-${++last}`
    await withRule(first(), rule, { issuers, issuerOf, name, account: username })
    const get = (node = first()) => exchange(node, fieldsOf(idToken(issuerOf), { rule: name }))
    return { name, username, get }
  }

  /** Each removes or disables something that a token depends on. */
  const ENDS: Readonly<
    Record<string, (made: { name: string; username: string; issuerOf: string }) => Promise<unknown>>
  > = {
    'removing the rule': ({ name }) => removeRule({ name, authority: deciding() }, first().installation),
    'disabling the rule': ({ name }) => disableRule({ name, authority: deciding() }, first().installation),
    'removing the issuer': ({ issuerOf }) =>
      removeIssuer(
        { issuer: issuers.at(rule?.issuer ?? '', issuerOf), authority: deciding() },
        first().installation,
      ),
    'disabling the account': ({ username }) => disableAccount(username, first().installation),
    'removing the account': ({ username }) => removeAccount({ account: username }, first().installation),
  }
  for (const [title, end] of Object.entries(ENDS)) {
    test(`${title} revokes its tokens on every node, and no more are granted`, async () => {
      const issuerOf = title.endsWith('the issuer') ? 'github-reusable' : GITHUB
      const made = await madeRule(issuerOf)
      const { status, body, text } = await made.get()
      assert.equal(status, 200, text)
      for (const node of nodes) assert.equal(await whoami(node, body.access_token), 200)
      await end({ ...made, issuerOf })
      assert.equal((await made.get(other())).status, 400)
      // Usually within a second; a busy machine can need more.
      await eventuallyPasses(async () => {
        for (const node of nodes) assert.equal(await whoami(node, body.access_token), 401)
      })
    })

    test(`guarantee: no token survives ${title} while exchanges are running`, async () => {
      const issuerOf = title.endsWith('the issuer') ? 'github-reusable' : GITHUB
      const made = await madeRule(issuerOf)
      const exchanges = Array.from({ length: 20 }, (_, at) => made.get(nodes[at % nodes.length]))
      await Promise.all([exchanges[0], exchanges[1]])
      await end({ ...made, issuerOf })
      const answers = await Promise.all(exchanges)
      const granted = answers.filter(({ status }) => status === 200)
      assert.ok(granted.length > 0)
      for (const { status } of answers) assert.ok(status === 200 || status === 400, String(status))
      await eventuallyPasses(async () => {
        for (const { body } of granted) {
          for (const node of nodes) assert.equal(await whoami(node, body.access_token), 401)
        }
      })
    })
  }

  test('a rule that is created again with the same name does not inherit sessions', async () => {
    const made = await madeRule()
    const { body } = await made.get()
    await removeRule({ name: made.name, authority: deciding() }, first().installation)
    await withRule(first(), rule, { issuers, name: made.name, account: made.username })
    assert.equal((await made.get()).status, 200)
    await eventuallyPasses(async () => assert.equal(await whoami(other(), body.access_token), 401))
  })

  test('another login of the account can revoke the session of a job', async () => {
    const made = await madeRule()
    const [one, two] = [await made.get(), await made.get()]
    const answer = await call(other(), 'POST', '/api/v2/tokens/revoke', {
      headers: { authorization: `Bearer ${two.body.access_token}` },
      body: { 'session-id': one.body.session_id },
    })
    assert.equal(answer.status, 200)
    await eventuallyPasses(async () => {
      for (const node of nodes) assert.equal(await whoami(node, one.body.access_token), 401)
    })
    assert.equal(await whoami(first(), two.body.access_token), 200)
  })

  test('records when a rule was last used, to the hour', async () => {
    const made = await madeRule()
    const used = async () => (await first().installation.rules.find(made.name))?.rule.lastUsedAt
    assert.equal(await used(), undefined)
    await made.get()
    const at = await used()
    assert.ok(at)
    await made.get()
    assert.deepEqual(await used(), at)
  })
})
