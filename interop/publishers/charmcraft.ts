/** Drives charmcraft's own command line at a terminal. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type AtTerminal, atTerminal, type Typed } from '../support/at-terminal.ts'
import { clientPaths } from '../support/paths.ts'
import { keyringIn, ownSessions, type PublisherTests } from '../support/publishers.ts'
import { ADA } from '../support/world.ts'

const typing = ({ email, password }: { readonly email: string; readonly password: string }): Typed => [
  ['Email address: ', `${email}\r`],
  ['Password: ', `${password}\r`],
]

export function charmcraftTests({ world, secondFactor, once }: PublisherTests): void {
  /** Returns a machine with its own home and keyring, as a function that runs charmcraft. */
  async function machine() {
    const { installation, service } = world()
    const keyring = await keyringIn(installation)
    const home = {
      ...keyring,
      HOME: keyring.XDG_DATA_HOME,
      XDG_RUNTIME_DIR: keyring.XDG_DATA_HOME,
      CHARMCRAFT_STORE_API_URL: service.url,
      CHARMCRAFT_STORE_SSO_URL: service.url,
    }
    return (words: readonly string[], answers: Typed = [], more: Readonly<Record<string, string>> = {}) =>
      atTerminal([clientPaths.charmcraft, ...words], { ...home, ...more }, answers)
  }

  test('login, whoami and logout work; after the logout, the session is listed until it is revoked', async () => {
    const sessions = await ownSessions(world().service.url, ADA)
    const charmcraft = await machine()
    const login = await charmcraft(['login'], typing(ADA))
    assert.equal(login.code, 0, login.shown)
    assert.deepEqual(login.echoes, [true, false])
    assert.match(login.shown, /Logged in as 'ada'\./)
    const me = printed(await charmcraft(['whoami', '--format', 'json']))
    assert.deepEqual([me.logged, me.username, me.name], [true, ADA.username, ADA.name])

    assert.match((await charmcraft(['logout'])).shown, /Charmhub token cleared/)
    const [session, ...others] = await sessions.list()
    assert.match(session?.description ?? '', /^charmcraft@/)
    assert.deepEqual(others, [])
    await sessions.revoke()
    assert.deepEqual(await sessions.list(), [])
  })

  once('an exported login with limits works on another machine, until it is revoked', async () => {
    const { installation, service } = world()
    const sessions = await ownSessions(service.url, ADA)
    const file = join(installation.directory, `exported-${crypto.randomUUID()}`)
    const limits = [
      '--charm',
      'postgresql',
      '--channel',
      'edge',
      '--permission',
      'package-view',
      '--ttl',
      '600',
    ]
    const login = await (await machine())(['login', '--export', file, ...limits], typing(ADA))
    assert.equal(login.code, 0, login.shown)

    const exported = { CHARMCRAFT_AUTH: await readFile(file, 'utf8') }
    const charmcraft = await machine()
    const me = printed(await charmcraft(['whoami', '--format', 'json'], [], exported))
    assert.equal(me.username, ADA.username)
    assert.deepEqual([me.permissions, me.channels], [['package-view'], ['edge']])
    assert.equal(me.charms.length, 1)
    assert.equal(me.charms[0].name ?? me.charms[0].id, 'postgresql')

    await sessions.revoke()
    const refused = await charmcraft(['whoami'], [], exported)
    assert.equal(refused.code, 1, refused.shown)
    assert.match(refused.shown, /Error 401 returned from store: .*revoked at/s)
  })

  once('a wrong password is reported; the second factor is asked for and accepted', async () => {
    const charmcraft = await machine()
    const wrong = await charmcraft(['login'], typing({ ...ADA, password: 'wrong' }))
    assert.equal(wrong.code, 1, wrong.shown)
    assert.doesNotMatch(wrong.shown, /internal error/)

    const person = secondFactor()
    const login = await charmcraft(
      ['login'],
      [...typing(person), ['One-time password: ', `${person.code()}\r`]],
    )
    assert.equal(login.code, 0, login.shown)
    assert.match(login.shown, /Logged in as 'two-factors'\./)
  })
}

/** Returns the JSON in the output, without the sequences around it that move the cursor. */
function printed({ shown }: AtTerminal) {
  const json = /\{.*\}/s.exec(shown)?.[0]
  assert.ok(json, shown)
  return JSON.parse(json)
}
