/** Agents: adding, listing, removing, and logging in over HTTP as Go and Python clients do, on every database. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addFirstPartyCaveat, encodeBase64, encodeBinary, mint } from '@ratafia/macaroon'
import {
  type BakeryMacaroon,
  decodeBakeryMacaroon,
  decodeKey,
  dischargeAll,
  generateKeyPair,
  type KeyPair,
  keyPairFromPrivateKey,
} from '@ratafia/macaroon/bakery'
import { listAgents } from '../../src/identity/agents/list-agents.ts'
import { addAccount, addAgent, disableAccount, enableAccount, removeAgent } from '../support/accounts.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  answer,
  bakeryMacaroonOf,
  type Caveat,
  caveatFor,
  type IdentityWorld,
  identityWorld,
  postDischarge,
  type RunningIdentity,
  startIdentity,
} from '../support/identity.ts'

const USERID = 'need-declared userid is-authenticated-userid'

eachDatabase((_kind, open) => {
  let world: IdentityWorld
  let identity: RunningIdentity
  let accountId: string
  const deps = () => ({ ...world, location: `${identity.location}/` })

  before(async () => {
    world = await identityWorld(await open())
    identity = await startIdentity(world)
    accountId = (await addAccount({ username: 'ci', email: 'ci@example.org', name: 'CI' }, world)).id
  })
  after(() => identity.app.close())

  const newAgent = async (name: string): Promise<KeyPair> => {
    const { file } = await addAgent({ name, account: 'ci' }, deps())
    assert.ok(file)
    return keyPairFromPrivateKey(decodeKey(file.key.private))
  }
  const startLogin = async (): Promise<{ caveat: Caveat; loginUrl: string }> => {
    const caveat = await caveatFor(world.keyring, USERID, { version: 3 })
    const { body } = await postDischarge(identity.location, caveat)
    return { caveat, loginUrl: body.Info.InteractionMethods.agent['login-url'] }
  }
  const askLogin = async (loginUrl: string, name: string, key: Uint8Array, version = '3') => {
    const url = new URL(loginUrl)
    url.searchParams.set('username', name)
    url.searchParams.set('public-key', encodeBase64(key))
    return answer(await fetch(url, { headers: { 'Bakery-Protocol-Version': version } }))
  }
  const tokenOf = async (macaroon: BakeryMacaroon, keyPair: KeyPair) => {
    const getDischarge = () => assert.fail('an agent discharges only its own caveat')
    const slice = await dischargeAll(macaroon, getDischarge, { localKeyPair: keyPair })
    return { kind: 'agent', token64: Buffer.from(encodeBinary(...slice)).toString('base64url') }
  }
  const logIn = async (name: string, keyPair: KeyPair) => {
    const { caveat, loginUrl } = await startLogin()
    const { body } = await askLogin(loginUrl, name, keyPair.publicKey)
    return { caveat, token: await tokenOf(decodeBakeryMacaroon(body.macaroon), keyPair) }
  }

  test('a new agent gets the standard agents file, once, and its private key is stored nowhere', async () => {
    const { agent, account, file } = await addAgent({ name: 'builder@ci', account: 'ci' }, deps())
    assert.equal(account.username, 'ci')
    assert.ok(file)
    const pair = keyPairFromPrivateKey(decodeKey(file.key.private))
    assert.deepEqual(file, {
      key: { public: encodeBase64(pair.publicKey), private: encodeBase64(pair.privateKey) },
      agents: [{ url: identity.location, username: 'builder@ci' }],
    })
    assert.deepEqual(Buffer.from(agent.publicKey), Buffer.from(pair.publicKey))
    const rows = await world.database.query.selectFrom('agent').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes(JSON.stringify(Buffer.from(pair.privateKey))))
  })

  test('adds an agent with its own key, lists agents in pages, and removes one', async () => {
    const { publicKey } = generateKeyPair()
    await addAccount({ username: 'other', email: 'o@example.org', name: 'Other' }, world)
    const added = await addAgent(
      { name: 'own-key', account: 'other', publicKey: encodeBase64(publicKey) },
      deps(),
    )
    assert.equal(added.file, undefined)
    const mine = await listAgents({ account: 'other', limit: 100, authority: deciding() }, deps())
    assert.deepEqual(
      mine.rows.map(({ name, account }) => [name, account.username]),
      [['own-key', 'other']],
    )
    const names: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await listAgents({ after, limit: 1, authority: deciding() }, deps())
      names.push(...page.rows.map(({ name }) => name))
      if (page.next === undefined) break
      after = page.next.name
    }
    assert.ok(names.includes('own-key') && names.includes('builder@ci'))
    await removeAgent('own-key', deps())
    await assert.rejects(removeAgent('own-key', deps()), {
      code: 'no-such-record',
      message: /no agent "own-key"/,
    })
  })

  test('names and keys are unique, even for fifty at the same moment, and invalid ones are refused', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => addAgent({ name: 'race', account: 'ci' }, deps())),
    )
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    const publicKey = encodeBase64(generateKeyPair().publicKey)
    await addAgent({ name: 'key-1', account: 'ci', publicKey }, deps())
    const bad: readonly [object, RegExp][] = [
      [{ name: 'key-2', publicKey }, /Another agent has this key/],
      [{ name: 'race' }, /An agent "race" already exists/],
      [{ name: 'Not A Name' }, /agent's name/],
      [{ name: 'x'.repeat(65) }, /agent's name/],
      [{ name: 'key-3', publicKey: 'AAAA' }, /32 bytes/],
    ]
    for (const [input, message] of bad) {
      await assert.rejects(addAgent({ account: 'ci', name: 'x', ...input }, deps()), {
        code: 'invalid-field',
        message,
      })
    }
    await assert.rejects(addAgent({ account: 'unknown', name: 'key-4' }, deps()), {
      code: 'no-such-record',
      message: /no account "unknown"/,
    })
  })

  for (const version of ['3', '2', '']) {
    test(`an agent logs in with its key, protocol version ${version || 'absent'}`, async () => {
      const name = `agent-v${version || 0}`
      const keyPair = await newAgent(name)
      const { caveat, loginUrl } = await startLogin()
      const { status, headers, body } = await askLogin(loginUrl, name, keyPair.publicKey, version)
      assert.equal(status, 200)
      assert.equal(headers.get('content-type'), 'application/json')
      const macaroon = decodeBakeryMacaroon(body.macaroon)
      assert.equal(macaroon.version, version === '3' ? 3 : 2)
      const third = macaroon.macaroon.caveats.filter(({ verificationId }) => verificationId)
      assert.deepEqual(
        third.map(({ location }) => location),
        ['local'],
      )
      const token = await tokenOf(macaroon, keyPair)
      const discharged = await postDischarge(identity.location, caveat, token)
      assert.equal(discharged.status, 200)
      const [first] = bakeryMacaroonOf(discharged).macaroon.caveats
      assert.equal(Buffer.from(first?.id ?? []).toString(), `declared userid ${accountId}`)
      const standard = { kind: 'agent', token64: Buffer.from(token.token64, 'base64url').toString('base64') }
      assert.equal((await postDischarge(identity.location, caveat, standard, { how: 'query' })).status, 200)
    })
  }

  test('refuses an unknown agent and a wrong key with the same message', async () => {
    await newAgent('known')
    const { loginUrl } = await startLogin()
    const key = generateKeyPair().publicKey
    const [unknown, wrong] = [
      await askLogin(loginUrl, 'unknown', key),
      await askLogin(loginUrl, 'known', key),
    ]
    assert.deepEqual([unknown.status, unknown.body], [wrong.status, wrong.body])
    assert.deepEqual([unknown.status, unknown.body.Code], [401, 'permission denied'])
  })

  test('treats a name that no database can store as an unknown agent', async () => {
    const { loginUrl } = await startLogin()
    for (const name of ['a\0', '\0', 'A', 'a b', '\u{1f4a9}', 'x'.repeat(2000)]) {
      const { status, body } = await askLogin(loginUrl, name, generateKeyPair().publicKey)
      assert.deepEqual([status, body.Code], [401, 'permission denied'], JSON.stringify(name.slice(0, 8)))
    }
  })

  test('refuses a key of low order, whose shared secret anyone knows', async () => {
    const { loginUrl } = await startLogin()
    for (const key of [Buffer.alloc(32), Buffer.from([1, ...new Array<number>(31).fill(0)])]) {
      await assert.rejects(addAgent({ name: 'weak', account: 'ci', publicKey: encodeBase64(key) }, deps()), {
        code: 'invalid-field',
      })
      const { status, body } = await askLogin(loginUrl, 'weak', key)
      assert.deepEqual([status, body.Code], [401, 'permission denied'])
    }
  })

  test('an agent cannot answer for another one, because only its own key discharges its caveat', async () => {
    const keyPair = await newAgent('alice-bot')
    const { loginUrl, caveat } = await startLogin()
    const { body } = await askLogin(loginUrl, 'alice-bot', keyPair.publicKey)
    const macaroon = decodeBakeryMacaroon(body.macaroon)
    await assert.rejects(tokenOf(macaroon, generateKeyPair()), { code: 'public-key-mismatch' })
    const bare = {
      kind: 'agent',
      token64: Buffer.from(encodeBinary(macaroon.macaroon)).toString('base64url'),
    }
    const refused = await postDischarge(identity.location, caveat, bare)
    assert.deepEqual([refused.status, refused.body.Code], [401, 'permission denied'])
  })

  test('a login made for one caveat does not discharge another', async () => {
    const keyPair = await newAgent('bound')
    const { token, caveat } = await logIn('bound', keyPair)
    const other = await startLogin()
    const refused = await postDischarge(identity.location, other.caveat, token)
    assert.match(refused.body.Message, /for a different caveat/)
    assert.equal((await postDischarge(identity.location, caveat, token)).status, 200)
  })

  test('caveats that a holder appends can only restrict: another agent, a different caveat, an unknown condition', async () => {
    const keyPair = await newAgent('narrow')
    for (const condition of [
      'agent root AAAA',
      'for-caveat AAAA',
      'allow everything',
      'time-before 2020-01-01T00:00:00Z',
    ]) {
      const { caveat, loginUrl } = await startLogin()
      const { body } = await askLogin(loginUrl, 'narrow', keyPair.publicKey)
      const bakery = decodeBakeryMacaroon(body.macaroon)
      const appended = { ...bakery, macaroon: addFirstPartyCaveat(bakery.macaroon, condition) }
      const refused = await postDischarge(identity.location, caveat, await tokenOf(appended, keyPair))
      assert.deepEqual([refused.status, refused.body.Code], [401, 'permission denied'], condition)
    }
  })

  test('an agent’s login lasts one minute', async () => {
    const keyPair = await newAgent('slow')
    const { loginUrl } = await startLogin()
    const { caveat, token } = await logIn('slow', keyPair)
    world.clock.advance(60_000)
    const late = await postDischarge(identity.location, caveat, token)
    assert.match(late.body.Message, /Expired/)
    const lateLogin = await askLogin(loginUrl, 'slow', keyPair.publicKey)
    assert.deepEqual([lateLogin.status, lateLogin.body.Code], [401, 'permission denied'])
  })

  test('answers 401 to a removed agent and one of a disabled account, for the login and for the discharge', async () => {
    const keyPair = await newAgent('doomed')
    const { caveat, token } = await logIn('doomed', keyPair)
    const { loginUrl } = await startLogin()
    await disableAccount('ci', world)
    for (const refused of [
      await postDischarge(identity.location, caveat, token),
      await askLogin(loginUrl, 'doomed', keyPair.publicKey),
    ]) {
      assert.deepEqual([refused.status, refused.body.Code], [401, 'permission denied'])
      assert.match(refused.body.Message, /account "ci" has been disabled/)
    }
    await enableAccount('ci', world)
    assert.equal((await postDischarge(identity.location, caveat, token)).status, 200)
    await removeAgent('doomed', deps())
    for (const refused of [
      await postDischarge(identity.location, caveat, token),
      await askLogin(loginUrl, 'doomed', keyPair.publicKey),
    ]) {
      assert.match(refused.body.Message, /no agent with this name and this public key/)
    }
  })

  test('refuses a login URL that was changed, or has invalid parameters', async () => {
    const { loginUrl } = await startLogin()
    const { publicKey } = generateKeyPair()
    for (const url of [
      loginUrl,
      `${loginUrl}&username=x`,
      `${loginUrl}&username=x&public-key=AAAA`,
      `${loginUrl}x&username=x&public-key=${encodeURIComponent(encodeBase64(publicKey))}`,
      `${loginUrl}&username=x&username=y&public-key=AAAA`,
      loginUrl.replace(/did=.*/, ''),
    ]) {
      const result = await answer(await fetch(url))
      assert.deepEqual([result.status, result.body.Code], [400, 'bad request'], url)
    }
  })

  test('a token of the tokens API is not accepted as an agent’s login', async () => {
    const { caveat } = await startLogin()
    const other = mint({ ...(await world.keyring.mintId('token')), location: 'store' })
    const token = { kind: 'agent', token64: Buffer.from(encodeBinary(other)).toString('base64url') }
    const refused = await postDischarge(identity.location, caveat, token)
    assert.match(refused.body.Message, /not issued by this identity service/)
  })
})
