/** Drives the command line of snapcraft 4, the newest on PyPI, at a terminal. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { atTerminal, type Typed } from '../support/at-terminal.ts'
import { clientPaths } from '../support/paths.ts'
import { ownSessions, type PublisherTests, UNTIL_STALE } from '../support/publishers.ts'
import { ADA } from '../support/world.ts'

const typing = ({ email, password }: { readonly email: string; readonly password: string }): Typed => [
  ['Email: ', `${email}\r`],
  ['Password: ', `${password}\r`],
]

export function snapcraftTests({ world, secondFactor, once }: PublisherTests): void {
  /** Returns a machine with its own settings. */
  async function machine() {
    const { installation, service } = world()
    const home = await mkdtemp(join(installation.directory, 'home-'))
    const environment = {
      HOME: home,
      XDG_CONFIG_HOME: home,
      LC_ALL: 'C.UTF-8',
      // Hides click's warnings about snapcraft's own options.
      PYTHONWARNINGS: 'ignore',
      // Outside its snap, snapcraft requires packages that no longer build.
      SNAP: clientPaths.snapcraft4,
      SNAP_NAME: 'snapcraft',
      SNAP_VERSION: '4.8.1',
      STORE_DASHBOARD_URL: service.url,
      STORE_API_URL: service.url,
      STORE_UPLOAD_URL: service.url,
      UBUNTU_ONE_SSO_URL: service.url,
    }
    return {
      snapcraft: (words: readonly string[], answers: Typed = []) =>
        atTerminal([join(clientPaths.snapcraft4, 'bin/snapcraft'), ...words], environment, answers),
      settings: () => readFile(join(home, 'snapcraft/snapcraft.cfg'), 'utf8'),
    }
  }

  test('login works; a stale discharge is refreshed and saved; a revoked session is refused', async () => {
    const sessions = await ownSessions(world().service.url, ADA)
    const { snapcraft, settings } = await machine()
    const login = await snapcraft(['login'], typing(ADA))
    assert.equal(login.code, 0, login.shown)
    assert.match(login.shown, /Login successful\./)
    assert.deepEqual(login.echoes, [true, false])

    const first = await settings()
    await sleep(UNTIL_STALE)
    assert.match((await snapcraft(['whoami'])).shown, /email: +ada@example\.com/)
    assert.notEqual(await settings(), first)
    assert.match((await snapcraft(['list'])).shown, /no registered snaps/i)

    const [session] = await sessions.list()
    assert.match(session?.description ?? '', /^snapcraft\/4\.8\.1/)
    await sessions.revoke()
    const refused = await snapcraft(['whoami'])
    assert.notEqual(refused.code, 0, refused.shown)
    assert.doesNotMatch(refused.shown, /ada@example\.com/)

    assert.match((await snapcraft(['logout'])).shown, /Credentials cleared/)
  })

  once('export-login saves a login with limits, and login --with shows them on another machine', async () => {
    const { installation, service } = world()
    const sessions = await ownSessions(service.url, ADA)
    const file = join(installation.directory, `exported-${crypto.randomUUID()}`)
    const limits = ['--channels', 'edge', '--acls', 'package_upload', '--expires', '2040-01-31T00:00:00']
    const exporting = await (await machine()).snapcraft(['export-login', ...limits, file], typing(ADA))
    assert.equal(exporting.code, 0, exporting.shown)

    const { snapcraft } = await machine()
    const login = await snapcraft(['login', '--with', file])
    assert.equal(login.code, 0, login.shown)
    assert.match(login.shown, /channels: +\['edge'\]/)
    assert.match(login.shown, /permissions: +\['package_upload'\]/)
    assert.match((await snapcraft(['whoami'])).shown, /email: +ada@example\.com/)
    assert.match((await snapcraft(['logout'])).shown, /Credentials cleared/)
    assert.equal((await sessions.list()).length, 1, 'logging out does not revoke the session')
  })

  once('a wrong password is refused; the second factor is asked for and accepted', async () => {
    const { snapcraft } = await machine()
    const wrong = await snapcraft(['login'], typing({ ...ADA, password: 'wrong' }))
    assert.notEqual(wrong.code, 0, wrong.shown)
    const person = secondFactor()
    const login = await snapcraft(
      ['login'],
      [...typing(person), ['Second-factor auth: ', `${person.code()}\r`]],
    )
    assert.equal(login.code, 0, login.shown)
    assert.match(login.shown, /Login successful\./)
  })
}
