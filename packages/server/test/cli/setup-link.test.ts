/** `ratafia setup-link`, and the link that `ratafia serve` prints: where it appears, and when there is none. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { crewOf } from '../support/crew.ts'
import { eachDatabase, withoutTables } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type RunningProgram, testProgram } from '../support/program.ts'

const URL_OPTION = '--url https://store.example.org'
const PRINT = { RATAFIA_SETUP_LINK: 'print' }
const OPERATOR = /`ratafia accounts add USERNAME --email EMAIL --name NAME --role operator`/
const LINK = /^(?:https?:\/\/\S+)\/setup\/[\w-]{43}$/

/** Returns the lines that a service prints, once it has printed them all. */
const linesOf = (service: RunningProgram, last: RegExp): Promise<readonly string[]> =>
  eventually('it prints its last line', () => {
    const lines = service.stdout().split('\n')
    return lines.at(-1) === '' && last.test(lines.at(-2) ?? '') ? lines.slice(0, -1) : undefined
  })
const printedLink = async (service: RunningProgram): Promise<string> =>
  (await linesOf(service, /\/setup\//)).at(-1)?.trim() ?? assert.fail()
const statusOf = async (service: RunningProgram, link: string): Promise<number> => {
  const { pathname } = new URL(link)
  return (await fetch(`${service.baseUrl}${pathname}`)).status
}

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(withoutTables(fresh))

  test('is refused without a database, and creates none', async () => {
    if (kind === 'sqlite') await program.refuses('setup-link', /there is no database/, 4)
    await program.says('migrate')
  })

  test('prints a link that ends the earlier one, and a note about its holder', async () => {
    const service = await program.start()
    const { code, stdout, stderr } = await program.run(`setup-link ${URL_OPTION}`)
    assert.deepEqual([code, LINK.test(stdout.trim())], [0, true], stdout)
    assert.ok(stdout.startsWith('https://store.example.org/setup/'))
    assert.match(
      stderr,
      /^Anyone with the link can become the operator of this installation, once, until \d{4}-\S+Z\. An earlier/,
    )
    assert.equal(await statusOf(service, stdout.trim()), 200)
    const { url, expires_at: expires, ...more } = await program.json(`setup-link ${URL_OPTION}`)
    assert.deepEqual([LINK.test(url), more], [true, {}])
    const minutes = (Date.parse(expires) - Date.now()) / 60_000
    assert.ok(minutes > 25 && minutes < 31, expires)
    assert.deepEqual([await statusOf(service, stdout.trim()), await statusOf(service, url)], [404, 200])
    const { entries } = { entries: await program.json('audit list --action installation.setup-link') }
    assert.equal(entries.length, 2)
    await service.end('SIGTERM')
  })

  test('needs an address, and none for another service', async () => {
    await program.refuses('setup-link', /^ratafia: Pass --url: with RATAFIA_PORT=0/, 2)
    const { stdout } = await program.run('setup-link', {
      environment: { RATAFIA_BASE_URL: 'https://example.org/x' },
    })
    assert.match(stdout, /^https:\/\/example\.org\/x\/setup\/[\w-]{43}\n$/)
    await program.refuses('setup-link', /works only on the database/, 2, {
      environment: { RATAFIA_URL: 'https://example.org' },
    })
  })

  test('gives the reason where there is no setup link', async () => {
    for (const [environment, reason] of [
      [{ RATAFIA_SETUP: 'off' }, /RATAFIA_SETUP is off\. Create the first operator with/],
      [{ RATAFIA_CONSOLE: 'off' }, /RATAFIA_CONSOLE is off\./],
      [{ RATAFIA_MANAGEMENT: 'off' }, /RATAFIA_MANAGEMENT is off, so there is no console\./],
      [{ RATAFIA_IDENTITY_URL: 'https://id.example.org' }, /run `ratafia grants add USERNAME operator`/],
    ] as const) {
      await program.refuses(`setup-link ${URL_OPTION}`, reason, 1, { environment })
    }
  })

  describe('serve', () => {
    test('prints another link at each start with RATAFIA_SETUP_LINK=print, and none in its log', async () => {
      const first = await program.start(PRINT)
      const link = await printedLink(first)
      assert.equal(first.stdout().split('\n').length - 1, 5)
      assert.equal(await statusOf(first, link), 200)
      const { stderr } = await first.end('SIGTERM')
      assert.ok(!stderr.includes(link.slice(-43)), stderr)
      const second = await program.start(PRINT)
      const other = await printedLink(second)
      assert.deepEqual([await statusOf(second, link), await statusOf(second, other)], [404, 200])
      await second.end('SIGTERM')
      const quiet = await program.start()
      assert.equal(await statusOf(quiet, other), 200, 'a start that prints none ends none')
      await quiet.end('SIGTERM')
    })

    test('with several workers, prints one link, which all of them know', async () => {
      const service = await program.start({ ...PRINT, RATAFIA_WORKERS: '2' })
      const link = await printedLink(service)
      await crewOf(service)
      assert.equal(service.stdout().split('/setup/').length, 2, service.stdout())
      for (let at = 0; at < 4; at++) {
        const { status } = await fetch(link, { headers: { connection: 'close' } })
        assert.equal(status, 200)
      }
      await service.end('SIGTERM')
    })

    test('prints the command where there is no link, and for the identity service alone', async () => {
      const service = await program.start({ ...PRINT, RATAFIA_SETUP: 'off' })
      const lines = await linesOf(service, OPERATOR_LINE)
      assert.deepEqual(lines.slice(3), [
        '  No accounts yet. Create the first one with:',
        '    ratafia accounts add USERNAME --email EMAIL --name NAME --role operator',
      ])
      await service.end('SIGTERM')
      const identity = await program.start(PRINT, ['identity', 'serve'])
      const [, address, , ...more] = await linesOf(identity, /--name NAME$/)
      assert.equal(address, `  Identity service: ${identity.baseUrl}`)
      assert.equal(more.length, 2)
      await identity.end('SIGTERM')
    })
  })

  test('is refused once there is an account, and serve prints none', async () => {
    await program.addAccount('ann')
    const message = await program.refuses(`setup-link ${URL_OPTION}`, /^ratafia: There is an account already/)
    assert.match(message, OPERATOR)
    assert.match(message, /`ratafia sign-in-link USERNAME`/)
    const service = await program.start(PRINT)
    const lines = await linesOf(service, /Data directory|Database/)
    assert.equal(lines.length, 3)
    await service.end('SIGTERM')
  })
})

const OPERATOR_LINE = /--role operator$/
