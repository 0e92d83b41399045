/**
 * Logins to administer a service, in a browser, which opens at a terminal, or as an agent. They are saved,
 * renewed and revoked.
 */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { oneDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { Browser } from '../support/identity.ts'
import { startCommand } from '../support/login-command.ts'
import { managementToken } from '../support/managers.ts'
import { testProgram, type Variables } from '../support/program.ts'
import type { TestService } from '../support/service.ts'

const PASSWORD = 'correct horse battery'

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let service: TestService
  let home: string
  /** The file with the number and values of the arguments of the browser. */
  let opened: string

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ratafia-home-'))
    opened = join(home, 'opened')
    await program.addAccount('ada', '--role operator', PASSWORD)
    await program.addAccount('bob')
    service = await program.serve()
  })
  after(() => rm(home, { recursive: true, force: true }))

  const browserThat = async (does: string) => {
    for (const name of ['xdg-open', 'open']) {
      await writeFile(join(home, name), `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > ${opened}\n${does}\n`)
      await chmod(join(home, name), 0o755)
    }
  }
  const start = (words: string, environment: Variables = {}, terminal = true) =>
    startCommand(
      words,
      { XDG_CONFIG_HOME: home, RATAFIA_URL: service.baseUrl, PATH: `${home}:/bin:/usr/bin`, ...environment },
      { terminal },
    )
  const approve = async (visit: string) => {
    const browser = new Browser()
    const signIn = await browser.open(visit)
    const page = await browser.submit(signIn, 'login', { username: 'ada', password: PASSWORD })
    await browser.submit(page, 'confirm', { decision: 'approve' })
    return page.text
  }
  const isOpened = () =>
    readFile(opened, 'utf8').then(
      (text) => text,
      () => undefined,
    )

  test('a person logs in with limits, administers, runs whoami, and logs out', async () => {
    const running = start('login --lifetime 2h --role operator', {}, false)
    const page = await approve(await running.visit())
    assert.match(page, /administers[\s\S]*<code>operator<\/code>: does everything/)
    const { code, stdout, stderr } = await running.finished
    assert.equal(code, 0, stderr)
    assert.match(stdout, /username: +ada\n[\s\S]*operator +- +operator/)
    const file = join(home, 'ratafia', 'credentials.json')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const { services } = JSON.parse(await readFile(file, 'utf8'))
    assert.deepEqual(Object.keys(services), [service.baseUrl])
    const run = (line: string, environment = {}) => start(line, environment, false).finished
    const me = JSON.parse((await run('whoami --json')).stdout)
    assert.deepEqual([me.username, me.signed_in.with], ['ada', 'browser'])
    assert.match((await run('tokens list --mine')).stdout, /ada +management /)
    const { stdout: added } = await run('grants add bob device-approver')
    assert.equal(added, 'bob now has the role device-approver.\n')
    assert.match((await run('grants list --account bob')).stdout, /bob +device-approver +- .* ada /)

    const out = await run('logout')
    assert.deepEqual([out.code, /is revoked\.\n$/.test(out.stderr)], [0, true])
    const refused = await run('whoami')
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /You are not logged in at .*`ratafia login --url/)
    await writeFile(join(home, 'kept'), `${services[service.baseUrl].token}\n`)
    const kept = await run('whoami', { RATAFIA_TOKEN_FILE: join(home, 'kept') })
    assert.match(kept.stderr, /The macaroon was revoked at .* by ada\./)
  })

  test('an agent can do only what the roles of its account allow', async () => {
    const file = join(home, 'agent.json')
    await program.json('grants add bob account-manager')
    const identity = ['--account', 'bob', '--url', `${service.baseUrl}/identity`, '--output', file]
    await program.json('agents', 'add', 'line', ...identity)
    const run = (line: string) => start(line, { RATAFIA_AGENT_FILE: file }, false).finished
    const me = JSON.parse((await run('whoami --json')).stdout)
    assert.deepEqual([me.username, me.signed_in.with, me.signed_in.agent], ['bob', 'agent', 'line'])
    assert.equal((await run('accounts show ada')).code, 0)
    const refused = await run('grants add bob operator --json')
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /"permission-denied".*This needs the permission roles:manage/)
    const link = await run('accounts reset-link ada')
    assert.deepEqual([link.code, link.stdout], [1, ''], 'only a person can create a link')
  })

  test('a browser opens at the address that is shown, and the login continues even if it fails', async () => {
    for (const does of ['exit 0', 'exit 3', 'kill -9 $$']) {
      await browserThat(does)
      const running = start('login', { DISPLAY: ':0' })
      const visit = await running.visit()
      assert.equal(await eventually('the browser is opened', isOpened), `1\n${visit}\n`)
      await approve(visit)
      const { code, stderr } = await running.finished
      assert.equal(code, 0, stderr)
      await rm(opened)
    }
  })

  for (const [where, environment, terminal] of [
    ['without a display', {}, true],
    ['without a terminal', { DISPLAY: ':0' }, false],
    ['without a program that opens browsers', { DISPLAY: ':0', PATH: '/nonexistent' }, true],
  ] as const) {
    test(`${where} no browser opens, and the login continues`, async () => {
      await browserThat('exit 0')
      const running = start('login', environment, terminal)
      await approve(await running.visit())
      assert.equal((await running.finished).code, 0)
      assert.equal(await isOpened(), undefined)
    })
  }

  test('a command that requires a recent login asks for one at a terminal, and then continues', async () => {
    const { url, file } = await oldLogin()
    const running = start('grants add bob viewer')
    await approve(await running.visit())
    const { code, stdout, stderr } = await running.finished
    assert.equal(code, 0, stderr)
    assert.match(stdout, /bob/)
    const { services } = JSON.parse(await readFile(file, 'utf8'))
    assert.notEqual(services[url].session_id, 'old', 'the new login was not saved')
  })

  test('without a terminal a command that requires a recent login is refused', async () => {
    await oldLogin()
    const { code, stdout, stderr } = await start('grants add bob auditor --json', {}, false).finished
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(JSON.parse(stderr).error.code, 'recent-sign-in-required')
  })

  /** Saves a login from an hour ago. Returns the service's URL and the file. */
  async function oldLogin() {
    const file = join(home, 'ratafia', 'credentials.json')
    const ada = (await service.installation.accounts.findByUsername('ada' as never)) ?? assert.fail()
    // The role must be older than the login.
    const { query } = service.installation.database
    await query
      .updateTable('role_grant')
      .set({ granted_at: Date.now() - 7_200_000 })
      .execute()
    const signedIn = `browser ${new Date(Date.now() - 3_600_000).toISOString()}`
    const token = await managementToken(service, ada, {}, { signedIn })
    const kept = { token, account: 'ada', session_id: 'old', expires: '2030-01-01T00:00:00Z' }
    const url = service.baseUrl
    await writeFile(file, JSON.stringify({ services: { [url]: kept } }))
    return { url, file }
  }
})
