/** Drives surl's command line at a terminal. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { atTerminal, type Typed } from '../support/at-terminal.ts'
import { clientPaths } from '../support/paths.ts'
import { ownSessions, type PublisherTests, UNTIL_STALE } from '../support/publishers.ts'
import { ADA } from '../support/world.ts'

export function surlTests({ world, secondFactor, once }: PublisherTests): void {
  /** Returns a machine with its own folder for credentials. */
  async function machine() {
    const { installation, service } = world()
    const home = await mkdtemp(join(installation.directory, 'home-'))
    const environment = {
      HOME: home,
      SNAP_USER_COMMON: home,
      SNAP_VERSION: '0.7.2',
      SURL_SCA_BASE_URL: service.url,
      SURL_SSO_BASE_URL: service.url,
      SURL_API_BASE_URL: service.url,
      SURL_SSO_LOCATION: new URL(service.url).host,
    }
    return {
      surl: (words: readonly string[], answers: Typed = []) =>
        atTerminal([clientPaths.python, clientPaths.surl, '-s', 'local', ...words], environment, answers),
      saved: async (name: string): Promise<{ root: string; discharge: string }> =>
        JSON.parse(await readFile(join(home, `${name}.surl`), 'utf8')),
    }
  }

  const password = (person: { readonly email: string; readonly password: string }) =>
    [`Password for ${person.email}: `, `${person.password}\r`] as const

  test('a login is verified; a stale discharge is refreshed and saved; a revoked session is refused', async () => {
    const { service } = world()
    const sessions = await ownSessions(service.url, ADA)
    const { surl, saved } = await machine()
    const limits = ['-p', 'package_access', '-p', 'package_push', '-c', 'edge', '--snap', 'hello-world']
    const login = await surl(['-a', 'mine', '-e', ADA.email, ...limits], [password(ADA)])
    assert.equal(login.code, 0, login.shown)
    assert.deepEqual(login.echoes, [false])
    const verified = printed(login.shown)
    assert.equal(verified['allowed'], true, login.shown)
    assert.deepEqual(verified['channels'], ['edge'])
    assert.deepEqual(verified['permissions'], ['package_access', 'package_push'])
    const account = verified['account'] as Record<string, unknown>
    assert.deepEqual([account['email'], account['displayname']], [ADA.email, ADA.name])

    const first = await saved('mine')
    await sleep(UNTIL_STALE)
    const stale = printed((await surl(['-a', 'mine'])).shown)
    assert.deepEqual([stale['allowed'], stale['refresh_required']], [false, true])
    const whoami = async () =>
      printed((await surl(['-a', 'mine', `${service.url}/api/v2/tokens/whoami`])).shown)
    assert.equal(((await whoami())['account'] as Record<string, unknown>)['username'], ADA.username)
    const second = await saved('mine')
    assert.equal(second.root, first.root)
    assert.notEqual(second.discharge, first.discharge)

    const [session] = await sessions.list()
    assert.match(session?.description ?? '', /^surl\/0\.7\.2/)
    await sessions.revoke()
    const refused = JSON.stringify(await whoami())
    assert.match(refused, /macaroon-authorization-required.*revoked at/)
    assert.deepEqual(printed((await surl(['-a', 'mine'])).shown), { allowed: false, refresh_required: false })
  })

  once('a wrong password and an invalid limit are refused; the second factor is asked for', async () => {
    const { surl } = await machine()
    const wrong = await surl(['-e', ADA.email], [password({ ...ADA, password: 'wrong' })])
    assert.equal(wrong.code, 1)
    assert.match(wrong.shown, /Authorization failed! Double-check password and 2FA\./)
    const nonsense = await surl(['-e', ADA.email, '--snap', 'x'.repeat(300)])
    assert.equal(nonsense.code, 1)
    assert.match(nonsense.shown, /^Error 400: .*name/)

    const person = secondFactor()
    const code = ['Second-factor auth for local: ', `${person.code()}\r`] as const
    const login = await surl(['-e', person.email], [password(person), code])
    assert.equal(printed(login.shown)['allowed'], true, login.shown)
  })
}

/** Returns the JSON at the end of the output. */
const printed = (shown: string): Record<string, unknown> => JSON.parse(shown.slice(shown.indexOf('{')))
