/**
 * Guarantee: permissions that operators withdraw from brands stop working for every device within a second,
 * even on nodes that cached the earlier state (docs/decisions/0021-what-nodes-remember.md).
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { addSigningKey, disableSigningKey, removeTrustRoot } from '../support/as-operator.ts'
import { accountKeyFile, acmeFiles, addTestRoot, testKey, vector } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  acmeKey,
  acmeModel,
  freshDeviceKey,
  openSession,
  register,
  serialAssertion,
  setAcmePolicy,
  withAcme,
} from '../support/devices.ts'
import { startNode, type TestNode } from '../support/nodes.ts'
import { type Answer, refusalOf, testService } from '../support/service.ts'

/** The guaranteed second, and some time for a busy machine. */
const WITHIN_MS = 2_500

eachDatabase((_kind, _open, fresh) => {
  describe('on every node', () => {
    const nodes: TestNode[] = []
    before(async () => {
      for (let i = 0; i < 2; i++) nodes.push(await startNode(await fresh.target()))
      await withAcme(installation())
    })
    after(async () => {
      for (const node of nodes) await node.close()
    })
    const installation = () => nodes[0]?.installation ?? assert.fail()

    type Ask = (node: TestNode) => Promise<Answer>
    const accepted = async (ask: Ask) => {
      // Twice, so that caching nodes have cached it.
      for (const node of [...nodes, ...nodes]) assert.equal((await ask(node)).status, 200)
    }
    const refused = async (ask: Ask, message: RegExp) => {
      for (const [index, node] of nodes.entries()) {
        // The node that made the change knows it at once.
        const end = performance.now() + (index === 0 ? 0 : WITHIN_MS)
        let answer = await ask(node)
        for (; answer.status === 200 && performance.now() < end; await sleep(10)) answer = await ask(node)
        assert.match(refusalOf(answer).message, message)
      }
    }
    const session = (serial: ReturnType<typeof serialAssertion>): Ask => {
      return (node) => openSession(node, { serial })
    }

    test('serials below a removed trust root cannot open a session until it is added again', async () => {
      const ask = session(serialAssertion({ serial: 'T-1' }))
      await accepted(ask)
      await removeTrustRoot({ accountId: 'test-root', force: true }, installation())
      await refused(ask, /^invalid assertion: could not validate model assertion/)
      await addTestRoot(installation())
      await accepted(ask)
    })

    test('a disabled signing key signs nothing more, and the next one signs', async () => {
      const ask: Ask = async (node) => register(node, { key: await freshDeviceKey() })
      await accepted(ask)
      await disableSigningKey({ keyId: acmeKey().publicKey.id, force: true }, installation())
      await refused(ask, /^This service has no key that can sign serials of /)
      const files = {
        accountKey: accountKeyFile('acme-brand', testKey('device2')),
        signingKey: vector('world/keys/device2.pem'),
      }
      await addSigningKey(files, installation())
      await accepted(ask)
      await addSigningKey(acmeFiles, installation())
    })

    test('a changed policy applies', async () => {
      const ask: Ask = async (node) => register(node, { key: await freshDeviceKey() })
      await accepted(ask)
      await setAcmePolicy(installation(), { registration: 'allow-list' })
      await refused(ask, /^This device is not on the allow-list of its model\./)
      await setAcmePolicy(installation(), {})
    })
  })

  describe('on one node', () => {
    const service = testService(fresh)

    test('a serial signed with an expired key cannot open a session, however often it did before', async () => {
      const signer = testKey('device2')
      const until = new Date(service.now().getTime() + 60_000)
      const short = accountKeyFile('acme-brand', signer, { until: until.toISOString() })
      await service.installation.assertions.remove('account-key', signer.publicKey.id)
      await addSigningKey(
        { accountKey: short, signingKey: vector('world/keys/device2.pem') },
        service.installation,
      )
      const key = await freshDeviceKey()
      const serial = serialAssertion({
        ...{ serial: 'E-1', key, signer },
        headers: { timestamp: service.now().toISOString() },
      })
      for (let i = 0; i < 3; i++) assert.equal((await openSession(service, { serial, key })).status, 200)
      service.advance(60_000)
      const answer = await openSession(service, { serial, key })
      assert.match(refusalOf(answer).message, /could not validate serial assertion \(the key .* has expired/)
    })

    test('a serial is refused once its model no longer names the signer', async () => {
      const model = 'handed-over'
      const generic = [
        ['account', 'generic'],
        ['account-key', testKey('generic').publicKey.id],
      ] as const
      await service.installation.assertions.put(
        generic.map(([type, primaryKey]) => {
          return { type, primaryKey, revision: 0, encoded: vector(`world/${type}-generic`).bytes }
        }),
        service.now(),
      )
      const [named, unnamed] = [
        acmeModel(model, { 'serial-authority': ['generic'] }),
        acmeModel(model, { revision: '1' }),
      ]
      const serial = serialAssertion({
        serial: 'G-1',
        model,
        signer: testKey('generic'),
        headers: { 'authority-id': 'generic' },
      })
      for (const modelText of [named, unnamed, named, unnamed]) {
        const answer = await openSession(service, { serial, modelText })
        if (modelText === named) assert.equal(answer.status, 200)
        else assert.match(refusalOf(answer).message, /generic" may not sign serials/)
      }
    })
  })
})
