// snapd's own code opens, uses and refreshes device sessions, and a store asks the service about each of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AUTH, BRAND, type ModelName, onEachDatabase } from './support/device-world.ts'
import type { Exchange, Front } from './support/front.ts'
import type { SnapdAnswer, SnapdDevice } from './support/snapd.ts'

onEachDatabase((world) => {
  /** Returns a registered device. Clears the proxy's record of its registration. */
  async function registered(model: ModelName = 'acme-pc'): Promise<SnapdDevice & { readonly name: string }> {
    const device = await world().device(model)
    const { change, device: is } = await device.run()
    assert.equal(change?.status, 'Done', change?.error)
    world().front.taken()
    return { ...device, name: `${BRAND}/${model}/${is?.serial}` }
  }

  test('snapd opens a session when it needs one, and sends it in the header of either API version', async () => {
    const { front } = world()
    const snapd = await registered()
    const { session } = good(await snapd.sections())
    assert.ok(session)
    assert.deepEqual(steps(front.taken()), [
      `POST ${AUTH}/nonces 200`,
      `POST ${AUTH}/sessions 200`,
      'GET /api/v1/snaps/sections 200',
    ])
    good(await snapd.info('hello'))
    const [info] = front.taken()
    assert.equal(info?.headers['snap-device-authorization'], `Macaroon root="${session}"`)
    assert.equal(info?.status, 200)
  })

  test('a session survives restarts of the device and of the service', async () => {
    const { front, restartService } = world()
    const snapd = await registered()
    const { session } = good(await snapd.session())
    await restartService()
    await snapd.restart()
    front.taken()
    assert.equal(good(await snapd.sections()).session, session)
    assert.deepEqual(steps(front.taken()), ['GET /api/v1/snaps/sections 200'])
  })

  test('snapd refreshes an expired session by itself, and its request then succeeds', async () => {
    const { front, restartService } = world()
    const snapd = await registered()
    await restartService({ RATAFIA_DEVICE_SESSION_LIFETIME: '1s' })
    const { session: expired } = good(await snapd.session())
    await restartService({ RATAFIA_DEVICE_SESSION_LIFETIME: '24h' })
    await sleep(1000)
    front.taken()
    const { session } = good(await snapd.sections())
    assert.notEqual(session, expired)
    const taken = front.taken()
    assert.deepEqual(steps(taken), [
      'GET /api/v1/snaps/sections 401',
      `POST ${AUTH}/nonces 200`,
      `POST ${AUTH}/sessions 200`,
      'GET /api/v1/snaps/sections 200',
    ])
    assert.equal(taken[2]?.headers['x-device-authorization'], `Macaroon root="${expired}"`)
  })

  test('while the service is down, snapd retries within the same operation', async () => {
    const { front, restartService } = world()
    const snapd = await registered()
    await world().service.stop()
    const [answer] = await Promise.all([snapd.session(), restartService()])
    assert.ok(good(answer).session)
    const taken = steps(front.taken())
    assert.equal(taken[0], `POST ${AUTH}/nonces 502`)
    assert.equal(taken.at(-1), `POST ${AUTH}/sessions 200`)
  })

  test('security: a revoked device is refused at its next request, and cannot open another session', async () => {
    const { front, installation } = world()
    const snapd = await registered()
    const { session } = good(await snapd.sections())
    const captured = front.taken().find(({ path }) => path.endsWith('/sessions')) ?? assert.fail()
    await installation.ratafia(['devices', 'revoke', '--yes', snapd.name, '--reason', 'stolen'])

    assert.match((await snapd.sections()).error ?? '', /revoked/)
    assert.deepEqual(steps(front.taken()), [
      'GET /api/v1/snaps/sections 401',
      `POST ${AUTH}/nonces 200`,
      `POST ${AUTH}/sessions 400`,
    ])
    const info = await fetch(`${front.url}/v2/snaps/info/hello`, {
      headers: { 'Snap-Device-Authorization': `Macaroon root="${session}"` },
    })
    assert.equal(info.status, 401)
    assert.match((await repeat(front, captured)).answer, /revoked/)
  })

  test('security: a nonce works once, only if the service issued it, and only for sessions', async () => {
    const { front } = world()
    const snapd = await registered()
    const copy = await snapd.clone()
    good(await snapd.session())
    const used = JSON.parse(front.taken()[0]?.answer ?? '').nonce
    // A request contains the second in which it was created, so a later one differs.
    await sleep(1_100)
    const answered = await fetch(`${front.url}${AUTH}/request-id`, { method: 'POST' })
    const requestId = ((await answered.json()) as Record<string, string>)['request-id']
    const other = await registered()
    for (const [nonce, asking] of [
      [used, copy],
      [requestId, other],
      ['made-up', other],
      [`${used}x`, other],
    ] as const) {
      front.meddle = ({ path }) => (path.endsWith('/nonces') ? Response.json({ nonce }) : undefined)
      const { error, device } = await asking.session()
      front.meddle = undefined
      assert.match(error ?? '', /status 400 .*nonce/)
      assert.equal(device?.session, '')
    }
    good(await other.session())
  })

  test('security: repeating a captured session request at once does not open a second session', async () => {
    const { front, installation } = world()
    const snapd = await registered()
    good(await snapd.session())
    const captured = front.taken().at(-1) ?? assert.fail()
    const again = await repeat(front, captured)
    assert.equal(again.status, 200)
    assert.equal(again.answer, captured.answer)
    const shown = JSON.parse(await installation.ratafia(['devices', 'show', snapd.name, '--json']))
    assert.equal(shown.sessions.length, 1)
  })

  test("security: another device's session, or an invalid one, cannot be refreshed", async () => {
    const { front } = world()
    const theirs = good(await (await registered()).session()).session
    const snapd = await registered()
    for (const shown of [theirs, `${theirs.slice(0, -4)}AAAA`, 'bm9uc2Vuc2U']) {
      front.meddle = ({ path, headers }) => {
        if (path.endsWith('/sessions')) headers['x-device-authorization'] = `Macaroon root="${shown}"`
        return undefined
      }
      assert.match((await snapd.session()).error ?? '', /status 401 /)
      front.meddle = undefined
    }
    good(await snapd.session())
  })

  test('security: a copied disk image is noticed once both copies are active, and both are quarantined', async () => {
    const { front, installation } = world()
    const snapd = await registered('acme-watched')
    const clone = await snapd.clone()
    for (const one of [snapd, clone]) good(await one.session())
    const shown = async () =>
      JSON.parse(await installation.ratafia(['devices', 'show', snapd.name, '--json']))
    assert.equal((await shown()).status, 'active')

    let refused = false
    front.meddle = ({ path }) => {
      if (!path.startsWith('/api/v1/snaps/sections') || refused) return undefined
      refused = true
      return new Response('', {
        status: 401,
        headers: { 'www-authenticate': 'Macaroon refresh_device_session=1' },
      })
    }
    assert.match((await snapd.sections()).error ?? '', /quarantine/)
    front.meddle = undefined
    assert.match((await clone.sections()).error ?? '', /quarantine/)
    assert.deepEqual((await shown()).clone_evidence.map(({ kind }: { kind: string }) => kind).sort(), [
      'second-chain',
      'two-chains',
    ])

    await installation.ratafia(['devices', 'release', snapd.name])
    good(await snapd.sections())
  })
})

const steps = (exchanges: readonly Exchange[]): string[] =>
  exchanges.map(({ method, path, status }) => `${method} ${path.replace(/\?.*/, '')} ${status}`)

function good({ error, device }: SnapdAnswer) {
  assert.equal(error, undefined)
  return device ?? assert.fail('no device')
}

async function repeat(front: Front, { path, body, headers }: Exchange) {
  const shown = headers['x-device-authorization']
  const response = await fetch(`${front.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(shown === undefined ? {} : { 'x-device-authorization': String(shown) }),
    },
    body,
  })
  return { status: response.status, answer: await response.text() }
}
