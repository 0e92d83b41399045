// Runs `snap login` with the unmodified command and daemon, and uses the login afterwards. A store asks the service
// about every request. The only change is that the service answers for the name dashboard.snapcraft.io.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeBinary } from '@ratafia/macaroon'
import { agentToken } from './support/agent-token.ts'
import { machinesAt, PASSWORD_OF, type Person } from './support/machines.ts'
import { onceOf, withSecondFactor } from './support/publishers.ts'
import type { Machine } from './support/snapd-machine.ts'
import { SNAP } from './support/store-api.ts'
import { ADA, FARM, onEachDatabase } from './support/world.ts'

onEachDatabase((world, kind) => {
  const once = onceOf(kind)
  const machines = machinesAt(world)
  const { restartService, newPerson, machine, loggedIn, refused, credentials, stale, downloaded } = machines
  const { seen, verdicts } = machines

  /** Returns the authorization that snapd sends now. */
  async function authorization(snapd: Machine): Promise<string> {
    await snapd.snap(['info', SNAP])
    return seen().at(-1)?.authorization ?? ''
  }

  async function sessions(authorized: string): Promise<readonly Session[]> {
    const answered = await fetch(`${world().service.url}/api/v2/tokens`, {
      headers: { authorization: authorized },
    })
    assert.equal(answered.status, 200)
    return ((await answered.json()) as { macaroons: Session[] }).macaroons
  }

  test('after snap login, a store that asks the service shows the user a private snap', async () => {
    const snapd = await machine()
    assert.notEqual((await snapd.snap(['info', SNAP])).code, 0)
    const { code, shown } = await snapd.snap(['login', ADA.email], [[PASSWORD_OF, `${ADA.password}\r`]])
    assert.equal(code, 0, shown)
    assert.match(shown, /Login successful/)
    assert.equal((await snapd.snap(['whoami'])).shown.trim(), `email: ${ADA.email}`)
    seen()

    const info = await snapd.snap(['info', SNAP])
    assert.equal(info.code, 0, info.shown)
    assert.match(info.shown, /a private snap/)
    const [request] = seen()
    assert.equal(request?.verdict.allowed, true)
    assert.equal(request.verdict.account?.email, ADA.email)
    assert.deepEqual([...(request.verdict.permissions ?? [])].sort(), ['package_access', 'package_purchase'])
    const [session] = await sessions(request.authorization)
    assert.match(request.userAgent, /^snapd\/\d+\.\d/)
    assert.equal(session?.description, request.userAgent.split(' ')[0])
  })

  once('a login survives restarts of snapd and of the service', async () => {
    const snapd = await loggedIn(ADA)
    await restartService({})
    await snapd.restart()
    assert.equal((await snapd.snap(['info', SNAP])).code, 0)
    assert.deepEqual(verdicts(), ['allowed'])
  })

  test('snapd refreshes a stale discharge by itself, and its request then succeeds', async () => {
    const snapd = await stale(() => loggedIn(ADA))
    const old = await snapd.login()
    const { code, shown } = await snapd.snap(['info', SNAP])
    assert.equal(code, 0, shown)
    assert.deepEqual(verdicts(), ['refresh', 'allowed'])
    const fresh = await snapd.login()
    assert.equal(fresh?.root, old?.root)
    assert.notEqual(fresh?.discharge, old?.discharge)
  })

  test('security: a revoked session is refused at its next request, and snapd does not refresh it', async () => {
    const snapd = await loggedIn(await newPerson('rita'))
    const kept = await snapd.login()
    const authorized = await authorization(snapd)
    const [session] = await sessions(authorized)
    const revoked = await fetch(`${world().service.url}/api/v2/tokens/revoke`, {
      method: 'POST',
      headers: { authorization: authorized, 'content-type': 'application/json' },
      body: JSON.stringify({ 'session-id': session?.['session-id'] }),
    })
    assert.equal(revoked.status, 200, await revoked.text())
    assert.match((await snapd.snap(['info', SNAP])).shown, /no snap found/)
    assert.deepEqual(verdicts(), ['refused'])
    assert.deepEqual(await snapd.login(), kept)
  })

  once('snap logout removes the login from the machine; its session stays until it is revoked', async () => {
    const snapd = await loggedIn(await newPerson('lou'))
    const authorized = await authorization(snapd)
    assert.equal((await snapd.snap(['logout'])).code, 0)
    assert.equal(await snapd.login(), undefined)
    assert.equal((await sessions(authorized)).length, 1)
  })

  once('a wrong password and an unknown e-mail address get the same refusal', async () => {
    const wrong = await refused(ADA.email, [PASSWORD_OF, 'wrong\r'])
    assert.match(wrong, /invalid credentials/)
    assert.equal(await refused('unknown@example.com', [PASSWORD_OF, 'wrong\r']), wrong)
  })

  once('snapd itself refuses an invalid e-mail address', async () => {
    const shown = await refused(ADA.username, [PASSWORD_OF, `${ADA.password}\r`])
    assert.match(shown, /please use a valid email address/)
  })

  test('snap login asks for the second factor after the right password, at most three times', async () => {
    const tom = await withSecondFactor(world().installation, 'tom')
    assert.match(await refused(tom.email, [PASSWORD_OF, 'wrong\r']), /invalid credentials/)
    const questions = ['Two-factor code: ', 'Bad code. Try again: ', 'Wrong again. Once more: '] as const
    const wrong = questions.map((question) => [question, 'abcdef\r'] as const)
    const shown = await refused(tom.email, [PASSWORD_OF, `${tom.password}\r`], ...wrong)
    assert.match(shown, /two factor authentication failed/)

    const snapd = await loggedIn(tom, [questions[0], 'abcdef\r'], [questions[1], `${tom.code()}\r`])
    assert.equal((await snapd.snap(['info', SNAP])).code, 0)
    assert.deepEqual(verdicts(), ['allowed'])
  })

  once('security: a new password revokes the logins with the old one', async () => {
    const { installation } = world()
    const nan = await newPerson('nan')
    const snapd = await loggedIn(nan)
    assert.equal((await snapd.snap(['info', SNAP])).code, 0)
    await installation.ratafia(
      ['accounts', 'set-password', nan.username, '--password-stdin'],
      'quite another\n',
    )
    await sleep(UNTIL_HEARD)
    assert.match((await snapd.snap(['info', SNAP])).shown, /no snap found/)
    assert.deepEqual(verdicts(), ['allowed', 'refused'])
  })

  test('security: a disabled account cannot log in, and its logins are refused', async () => {
    const { installation } = world()
    const eve = await newPerson('eve')
    const snapd = await loggedIn(eve)
    assert.equal((await snapd.snap(['info', SNAP])).code, 0)
    await installation.ratafia(['accounts', 'disable', eve.username, '--yes'])
    await sleep(UNTIL_HEARD)
    seen()
    assert.match((await snapd.snap(['info', SNAP])).shown, /no snap found/)
    assert.deepEqual(verdicts(), ['refused'])
    assert.match(await refused(eve.email, [PASSWORD_OF, 'wrong\r']), /invalid credentials/)
    assert.match(
      await refused(eve.email, [PASSWORD_OF, `${eve.password}\r`]),
      /cannot authenticate to snap store: .*disabled/,
    )
  })

  once('image tools download with every form of an exported credential', async () => {
    const { service, agentFile } = world()
    const login = await credentials(ADA)
    const { token } = await agentToken(service.url, agentFile)
    for (const [credential, email] of [
      [{ t: 'u1-macaroon', v: login }, ADA.email],
      [login, ADA.email],
      [{ t: 'macaroon', v: token }, FARM.email],
      [{ t: 'bearer', v: token }, FARM.email],
    ] as const) {
      assert.equal(await downloaded(credential), 'a snap')
      const requests = seen()
      assert.deepEqual(
        requests.map(({ path, verdict }) => [path, verdict.allowed, verdict.account?.email]),
        ['/v2/snaps/refresh', `/download/${SNAP}`].map((path) => [path, true, email]),
      )
    }
  })

  once('image tools refresh the stale discharge of an exported credential every time', async () => {
    const login = await stale(() => credentials(ADA))
    for (let time = 1; time <= 2; time++) {
      assert.equal(await downloaded(login), 'a snap')
      assert.deepEqual(verdicts(), ['refresh', 'allowed', 'allowed'])
    }
  })

  once(
    'image tools only refresh discharges of login.ubuntu.com, so not those that snapcraft exports',
    async () => {
      const login = await stale(() => exportedElsewhere(world().service.url, ADA))
      await assert.rejects(downloaded(login), /401/)
      // snapd assumes each time that it has refreshed the discharge.
      assert.deepEqual(verdicts(), Array(5).fill('refresh'))
    },
  )

  once(
    'security: with logins by password off, snap login is refused before it sends a password',
    async () => {
      await restartService({ RATAFIA_PASSWORD_LOGINS: 'off' })
      const shown = await refused(ADA.email, [PASSWORD_OF, `${ADA.password}\r`])
      assert.match(shown, /cannot get snap access permission from store: store server returned status 400/)
      await restartService({ RATAFIA_PASSWORD_LOGINS: 'on' })
    },
  )
})

/** Exports a login from a program that is not snapd. */
async function exportedElsewhere(service: string, { email, password }: Person) {
  const { macaroon } = await post(`${service}/dev/api/acl/`, { permissions: ['package_access'] })
  const [root] = decodeBinary(Buffer.from(macaroon ?? '', 'base64url'))
  const caveat = root?.caveats.find(({ verificationId }) => verificationId !== undefined)
  const asked = { email, password, caveat_id: Buffer.from(caveat?.id ?? []).toString() }
  const { discharge_macaroon: discharge } = await post(`${service}/api/v2/tokens/discharge`, asked)
  return { r: macaroon, d: discharge }
}

async function post(url: string, body: object): Promise<Readonly<Record<string, string>>> {
  const headers = { 'content-type': 'application/json' }
  const answered = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await answered.json()) as Record<string, string>
}

/** A running service notices a command's change within this time. */
const UNTIL_HEARD = 1_000

interface Session {
  readonly 'session-id': string
  readonly description: string | null
}
