// snapd's own code registers devices: how it finds the service, the operator's decisions, and failures.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeDatabaseAway } from './support/database-away.ts'
import { AUTH, BRAND, onEachDatabase } from './support/device-world.ts'
import type { Exchange } from './support/front.ts'
import type { SnapdAnswer } from './support/snapd.ts'

onEachDatabase((world) => {
  const listed = async (...filter: string[]) =>
    JSON.parse(await world().installation.ratafia(['devices', 'list', '--json', ...filter]))

  test('with proxy.store, the serial comes with the key that signed it, and snapd fetches nothing else', async () => {
    const { front, device } = world()
    const snapd = await device('acme-pc')
    front.taken()
    const { change, device: is } = await snapd.run()
    assert.equal(change?.status, 'Done', change?.error)
    assert.ok(is?.serial)
    assert.deepEqual(steps(front.taken()), [`POST ${AUTH}/request-id 200`, `POST ${AUTH}/devices 200`])
    const [row] = await listed(`--key=${is['key-id']}`)
    assert.equal(row.status, 'active')
    assert.equal(row.serial, is.serial)
  })

  test('without serial-stream, snapd gets only the serial, and fetches the key and the account', async () => {
    const { front, device } = world()
    const snapd = await device('acme-pc')
    front.taken()
    front.meddle = ({ headers }) => {
      delete headers['snap-device-capabilities']
      return undefined
    }
    const { change, device: is } = await snapd.run()
    front.meddle = undefined
    assert.equal(change?.status, 'Done', change?.error)
    const signedBy = /^sign-key-sha3-384: (\S+)$/m.exec(is?.['serial-assertion'] ?? '')?.[1]
    assert.deepEqual(steps(front.taken()), [
      `POST ${AUTH}/request-id 200`,
      `POST ${AUTH}/devices 200`,
      `GET /v2/assertions/account-key/${signedBy} 200`,
      `GET /v2/assertions/account/${BRAND} 200`,
    ])
  })

  test("with the gadget's device-service.url, snapd sends its serial number, its body and its API key", async () => {
    const { front, device, installation } = world()
    const { key } = JSON.parse(
      await installation.ratafia(['api-keys', 'add', `${BRAND}/acme-gadget`, '--label', 'line', '--json']),
    )
    const gadget = { url: `${front.url}/v1/`, 'proposed-serial': 'SN-0001', body: 'mac: 00:11:22' }
    const stranger = await device('acme-gadget', { proxyStore: false, gadget })
    assertFailed(await stranger.run(), /API key/)

    const headers = { 'api-key': key }
    const snapd = await device('acme-gadget', { proxyStore: false, gadget: { ...gadget, headers } })
    front.taken()
    const { change, device: is } = await snapd.run()
    assert.equal(change?.status, 'Done', change?.error)
    assert.equal(is?.serial, 'SN-0001')
    assert.match(is['serial-assertion'] ?? '', /\n\nmac: 00:11:22\n\n/)
    assert.deepEqual(steps(front.taken()), ['POST /v1/request-id 200', 'POST /v1/serial 200'])

    const second = await device('acme-gadget', { proxyStore: false, gadget: { ...gadget, headers } })
    assertFailed(await second.run(), /SN-0001/)
    assert.equal((await listed('--serial=SN-0001')).length, 1)
  })

  test('with both, snapd checks the proxy first, and sends it the requests for the device service', async () => {
    const { front, device, service, installation } = world()
    const { key } = JSON.parse(
      await installation.ratafia(['api-keys', 'add', `${BRAND}/acme-gadget`, '--label', 'line', '--json']),
    )
    const gadget = { url: `${service.url}/v1`, headers: { 'api-key': key }, 'proposed-serial': 'SN-0002' }
    const snapd = await device('acme-gadget', { gadget })
    front.taken()
    const { change, device: is } = await snapd.run()
    assert.equal(change?.status, 'Done', change?.error)
    assert.equal(is?.serial, 'SN-0002')
    const taken = front.taken()
    assert.deepEqual(steps(taken), ['HEAD / 200', `POST ${AUTH}/request-id 200`, `POST ${AUTH}/devices 200`])
    assert.equal(taken[2]?.headers['x-snap-device-service-url'], `${service.url}/v1/`)
  })

  test('a device service that is not allowed is refused with its address', async () => {
    const { front, device } = world()
    const gadget = { url: 'http://elsewhere.example/v1/' }
    assertFailed(await (await device('acme-gadget', { gadget })).run(), /http:\/\/elsewhere\.example\/v1\//)
    assert.equal(steps(front.taken()).at(-1), `POST ${AUTH}/request-id 400`)
  })

  test('approval: a pending device polls with the same request, even after device and service restart', async () => {
    const { front, device, installation, restartService } = world()
    const snapd = await device('acme-approved')
    front.taken()
    const asked = await snapd.run()
    assert.equal(asked.change?.waiting, 'request-serial', asked.change?.error)
    assert.match(asked.change?.log?.at(-1) ?? '', /Will poll/)
    await snapd.restart()
    await restartService()
    assert.equal((await snapd.retry()).change?.waiting, 'request-serial')

    const keyId = asked.device?.['key-id'] ?? ''
    await installation.ratafia(['devices', 'approve', '--serial', 'SN-77', '--', keyId])
    const { change, device: is } = await snapd.retry()
    assert.equal(change?.status, 'Done', change?.error)
    assert.equal(is?.serial, 'SN-77')
    const taken = front.taken()
    assert.deepEqual(steps(taken), [
      `POST ${AUTH}/request-id 200`,
      `POST ${AUTH}/devices 202`,
      `POST ${AUTH}/devices 202`,
      `POST ${AUTH}/devices 200`,
    ])
    assert.equal(new Set(taken.slice(1).map(({ body }) => body)).size, 1)
  })

  test('rejection: snap changes shows the reason; if approved later, the same device gets its serial', async () => {
    const { device, installation } = world()
    const snapd = await device('acme-approved')
    const keyId = (await snapd.run()).device?.['key-id'] ?? ''
    const reason = 'not one of ours: ask Ada'
    await installation.ratafia(['devices', 'reject', '--reason', reason, '--', keyId])
    assertFailed(await snapd.retry(), /cannot deliver device serial request: .*not one of ours: ask Ada/)

    await installation.ratafia(['devices', 'approve', '--', keyId])
    // snapd would retry after five minutes, or when it restarts.
    await snapd.restart()
    const { change, device: is } = await snapd.run()
    assert.equal(change?.status, 'Done', change?.error)
    assert.equal(is?.['key-id'], keyId)
  })

  test('while the service is down, snapd retries, and registers once it is back', async () => {
    const { front, device, service, restartService } = world()
    const snapd = await device('acme-pc')
    await service.stop()
    assert.equal((await snapd.run()).change?.waiting, 'request-serial')
    await restartService()
    front.taken()
    const { change } = await snapd.retry()
    assert.equal(change?.status, 'Done', change?.error)
  })

  test('while the database is unavailable, snapd gets a 503 and retries, and gets one serial once it is back', async () => {
    const { front, device, installation } = world()
    const snapd = await device('acme-pc')
    front.taken()
    const bringBack = await takeDatabaseAway(installation)
    try {
      const { change } = await snapd.run()
      assert.equal(change?.waiting, 'request-serial', change?.error)
      assert.equal(front.taken().at(-1)?.status, 503)
    } finally {
      await bringBack()
    }
    const { change, device: is } = await snapd.retry()
    assert.equal(change?.status, 'Done', change?.error)
    assert.equal((await listed(`--key=${is?.['key-id']}`)).length, 1)
  })

  test('after a lost answer, the same device asks again and gets the same serial', async () => {
    const { front, device } = world()
    const snapd = await device('acme-pc')
    let lost: string | undefined
    front.after = ({ path, answer }) => {
      if (lost !== undefined || !path.endsWith('/devices')) return undefined
      lost = answer
      return new Response('Gateway Timeout', { status: 504 })
    }
    assert.equal((await snapd.run()).change?.waiting, 'request-serial')
    front.after = undefined
    const { change, device: is } = await snapd.retry()
    assert.equal(change?.status, 'Done', change?.error)
    assert.ok(lost?.includes(is?.['serial-assertion'] ?? '?'), 'byte for byte')
  })

  test('an unknown brand is refused by name', async () => {
    assertFailed(await (await world().device('foreign')).run(), /other-brand/)
  })

  test('security: a request-id works for one device, and only if the service issued it', async () => {
    const { front, device } = world()
    const snapd = await device('acme-pc')
    front.taken()
    await snapd.run()
    const used = JSON.parse(front.taken()[0]?.answer ?? '')['request-id']
    const nonce = (await post(`${front.url}${AUTH}/nonces`))['nonce']
    const other = await device('acme-pc')
    for (const requestId of [used, nonce, 'made-up', `${used}x`]) {
      front.meddle = ({ path }) =>
        path.endsWith('/request-id') ? Response.json({ 'request-id': requestId }) : undefined
      const answer = await other.run()
      front.meddle = undefined
      assertFailed(answer, /request-id/)
      assert.deepEqual(await listed(`--key=${answer.device?.['key-id']}`), [])
      // After a failure, snapd does not try again until it restarts.
      await other.restart()
    }
    assert.equal((await other.run()).change?.status, 'Done')
  })

  test('security: repeating a captured registration gives the same answer and does not create another device', async () => {
    const { front, device } = world()
    const snapd = await device('acme-pc')
    front.taken()
    const { device: is } = await snapd.run()
    const captured = front.taken().at(-1) ?? assert.fail()
    const again = await fetch(`${front.url}${captured.path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x.ubuntu.assertion',
        'snap-device-capabilities': 'serial-stream',
      },
      body: captured.body,
    })
    assert.equal(again.status, 200)
    assert.equal(await again.text(), captured.answer)
    assert.equal((await listed(`--key=${is?.['key-id']}`)).length, 1)
  })

  test('remodel of Ubuntu Core: the same key gets a serial of the new model if the operator allows it', async () => {
    const { front, device, models, installation } = world()
    const snapd = await device('acme-core')
    const before = await snapd.run()
    assert.equal((await snapd.session()).error, undefined)
    assertFailed(
      await snapd.remodel(models['acme-core-next']),
      /cannot deliver device serial request: .*remodel/i,
    )
    const kept = await snapd.sections()
    assert.equal(kept.error, undefined)
    assert.equal(kept.device?.model, 'acme-core')

    await installation.ratafia(['models', 'allow-remodel', `${BRAND}/acme-core`, `${BRAND}/acme-core-next`])
    front.taken()
    const { change, device: is } = await snapd.remodel(models['acme-core-next'])
    assert.equal(change?.status, 'Done', change?.error)
    assert.equal(is?.model, 'acme-core-next')
    assert.equal(is['key-id'], before.device?.['key-id'])
    assert.ok(is.serial)
    assert.deepEqual(steps(front.taken()), [
      `POST ${AUTH}/request-id 200`,
      `POST ${AUTH}/devices 200`,
      `POST ${AUTH}/nonces 200`,
      `POST ${AUTH}/sessions 200`,
    ])
    // After a restart, snapd uses the session of the new model.
    await snapd.restart()
    assert.equal((await snapd.sections()).error, undefined)
    const shown = JSON.parse(
      await installation.ratafia(['devices', 'show', `${BRAND}/acme-core-next/${is.serial}`, '--json']),
    )
    assert.equal(shown.original, `${BRAND}/acme-core/${before.device?.serial}`)
  })
})

const steps = (exchanges: readonly Exchange[]): string[] =>
  exchanges.map(({ method, path, status }) => `${method} ${path.replace(/\?.*/, '')} ${status}`)

/** Fails unless the change failed, and `snap change` shows the service's message. */
function assertFailed({ change }: SnapdAnswer, message: RegExp): void {
  assert.equal(change?.status, 'Error', JSON.stringify(change))
  assert.match(change.error ?? '', message)
  assert.doesNotMatch(change.error ?? '', /unexpected status/)
}

async function post(url: string): Promise<Record<string, string>> {
  const response = await fetch(url, { method: 'POST' })
  return (await response.json()) as Record<string, string>
}
