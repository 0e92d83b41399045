/** An operator manages the rules for CI jobs with `ratafia publishers`. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Installation } from '../../src/installation.ts'
import { line } from '../support/cases.ts'
import { eachDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'
import { GITHUB, GITLAB, givenIssuer, givenSession } from '../support/rules.ts'

const SNAP_ID = 'hello'.padEnd(32, 'A')

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let installation: Installation
  const publishers = (...words: readonly string[]) => program.run(['publishers', ...words])
  const ok = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await publishers(...words)
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    return stdout
  }
  const refused = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await publishers(...words)
    assert.deepEqual([code, stdout], [1, ''], stderr)
    return stderr
  }
  /** Returns the options of a valid rule. */
  const rule = (name: string) => line`
    add ${name} --issuer ${GITHUB} --account build --package hello --permission package_upload --match
    repository_id=74 --match repository_owner_id=65 --match ref=refs/heads/main`
  const entriesOf = (action: string) => program.json('audit', 'list', '--action', action)

  before(async () => {
    assert.equal((await program.run('migrate')).code, 0)
    const account = ['--email', 'build@example.org', '--name', 'Build farm', '--no-password']
    await program.json('accounts', 'add', 'build', ...account)
    const file = join(program.directory, 'packages.csv')
    await writeFile(file, `name,snap_id\nhello,${SNAP_ID}\n`)
    await program.json('packages', 'import', file)
    installation = await program.open()
    await givenIssuer(installation.database, GITHUB, 'github')
    await givenIssuer(installation.database, GITLAB, 'gitlab')
  })

  test('a rule with every option can be added, listed and shown', async () => {
    assert.match(await ok('list'), /^No CI rules yet\./)
    assert.deepEqual(await program.json('publishers list'), [])

    const told = await ok(
      ...[...rule('full'), '--match', 'environment=prod', '--lifetime', '120'],
      ...['--match', 'run_attempt:={"any_of":["1","2"]}', '--permission', 'package_release'],
      ...['--channel', 'edge', '--store', 'acme', '--package', 'hello'],
    )
    assert.equal(told, 'Jobs that match the rule full get tokens of build that expire after 120 seconds.\n')

    const [listed] = await program.json('publishers list')
    const { id, version, created_at, ...rest } = listed
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.match(version, /^[0-9a-f]{64}$/)
    assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    assert.deepEqual(rest, {
      ...{ name: 'full', account: 'build', issuer: GITHUB, kind: 'github' },
      match: {
        ...{ repository_id: '74', repository_owner_id: '65', ref: 'refs/heads/main', environment: 'prod' },
        run_attempt: { any_of: ['1', '2'] },
      },
      permissions: ['package_upload', 'package_release'],
      packages: [SNAP_ID],
      channels: ['edge'],
      stores: ['acme'],
      lifetime_seconds: 120,
      disabled_at: null,
      last_used_at: null,
      disuse: 'never-matched',
    })
    assert.deepEqual(await program.json('publishers show full'), { ...listed, warnings: [] })
    const shown = await ok('show', 'full')
    assert.match(
      shown,
      /^match: +repository_id=74 repository_owner_id=65 ref=refs\/heads\/main environment=prod run_attempt:=\{"any_of":\["1","2"\]\}$/m,
    )
    assert.match(shown, /^last used: +never matched$/m)
    assert.match(await ok('list', '--columns', 'name,last_used'), /^NAME +LAST USED\nfull +never matched\n$/)

    const [entry] = await entriesOf('publisher.add')
    assert.deepEqual([entry.subject, entry.details.version], ['full', version])
    assert.deepEqual(entry.details.match, [
      ...['repository_id=74', 'repository_owner_id=65', 'ref=refs/heads/main', 'environment=prod'],
      'run_attempt:={"any_of":["1","2"]}',
    ])
  })

  test('list can be limited to one account or one issuer', async () => {
    await ok(...rule('of-github'))
    const names = async (...words: readonly string[]) =>
      (await program.json('publishers', 'list', ...words)).map(({ name }: { name: string }) => name)
    assert.ok((await names('--account', 'build', '--issuer', GITHUB)).includes('of-github'))
    assert.deepEqual(await names('--issuer', GITLAB), [])
    assert.match(await refused('list', '--account', 'nobody'), /There is no account "nobody"/)
    assert.match(await refused('list', '--issuer', 'https://x'), /There is no issuer "https:\/\/x"/)
  })

  test('by default the lifetime is 15 minutes, and a GitLab rule matches only protected refs', async () => {
    const match = ['--match', 'project_id=20', '--permission', 'package_upload', '--package', 'hello']
    const made = await program.json(
      ...['publishers', 'add', 'plain', '--issuer', GITLAB, '--account', 'build', ...match],
    )
    assert.deepEqual(made.match, { project_id: '20', ref_protected: 'true' })
    assert.equal(made.lifetime_seconds, 900)
  })

  test('a risky rule is created with a warning, which show and --json repeat', async () => {
    const risky = rule('risky').map((word) => word.replace('ref=refs/heads/main', 'environment=prod'))
    const { code, stdout, stderr } = await publishers(...risky)
    assert.equal(code, 0)
    assert.match(
      stdout,
      /^Jobs that match the rule risky get tokens of build that expire after 900 seconds\.\n$/,
    )
    assert.match(
      stderr,
      /^ratafia: warning: A rule that matches only environment lets in every branch .*\.\n$/,
    )
    const { warnings } = await program.json('publishers show risky')
    assert.equal(`ratafia: warning: ${warnings}\n`, stderr)
    assert.ok((await ok('show', 'risky')).endsWith(`Warning: ${warnings}\n`))
    await ok('remove', 'risky')
    assert.deepEqual((await program.json('publishers', ...risky)).warnings, warnings)
  })

  test('a rule of a disabled account is created with a warning', async () => {
    const account = ['--email', 'off@example.org', '--name', 'Off', '--no-password']
    await program.json('accounts', 'add', 'off', ...account)
    await program.json('accounts disable --yes off')
    const { code, stderr } = await publishers(...rule('of-off').map((w) => (w === 'build' ? 'off' : w)))
    assert.deepEqual(
      [code, stderr],
      [0, 'ratafia: warning: The account off is disabled: jobs get nothing until it is enabled.\n'],
    )
  })

  test('a refusal lists all problems of a rule at once, and stores nothing', async () => {
    const before = await program.json('publishers list')
    const bad = line`
      add 'Bad name' --issuer ${GITHUB} --account nobody --lifetime 59 --match
      repository=octo-org/octo-repo --match sub=repo:octo-org/octo-repo --permission edit_account
      --permission package_register --permission frobnicate --package unknown --package hello --channel
      é`
    const problems = [
      /^The name "Bad name" is not 1 to 64 characters of a-z, 0-9 and "\._-"/,
      /^There is no account "nobody"\.$/,
      /^repository_id and repository_owner_id are needed.* sub is not matched on GitHub/,
      /^No package is named "unknown"\.$/,
      /^--channel "é" is not 1 to 128 printable ASCII characters\.$/,
      /^There is no permission "frobnicate"\. docs\/tokens\.md lists all permissions\.$/,
      /^A rule cannot grant edit_account\. Remove it\.$/,
      /^package_register lets jobs register names\. To allow that, also pass --allow-register\.$/,
      /^A lifetime of 59 seconds is not between 60 and 3600\. RATAFIA_CI_MAX_LIFETIME sets the upper limit\.$/,
    ]
    const lines = (await refused(...bad)).trimEnd().split('\n')
    assert.equal(lines.length, problems.length, lines.join('\n'))
    problems.forEach((problem, at) => {
      const line = lines[at] ?? ''
      assert.match(line, /^ratafia: /)
      assert.match(line.slice('ratafia: '.length), problem)
    })
    const json = await publishers(...bad, '--json')
    assert.equal(json.code, 1)
    const { error } = JSON.parse(json.stderr)
    assert.deepEqual([error.code, error.message.split('\n').length], ['invalid-field', problems.length])
    assert.deepEqual(await program.json('publishers list'), before)
  })

  test('a rule that is removed and added again has a different version', async () => {
    const first = await program.json('publishers', ...rule('again'))
    await ok('remove', 'again')
    const second = await program.json('publishers', ...rule('again'))
    assert.deepEqual(second.match, first.match)
    assert.notEqual(second.version, first.version)
  })

  test('refuses a second rule of the same name', async () => {
    await ok(...rule('once'))
    assert.equal(
      await refused(...rule('once')),
      'ratafia: There is already a rule "once". Choose another name.\n',
    )
  })

  describe('disable and remove', () => {
    const sessionOf = async (id: string) =>
      (await program.json('tokens list --include-inactive')).find(
        (session: { session_id: string }) => session.session_id === id,
      )

    test('disable revokes the sessions of the rule once, and keeps the rule', async () => {
      await ok(...rule('ends'))
      await ok(...rule('goes-on'))
      const [first, second] = [
        await givenSession(installation.database, 'ends'),
        await givenSession(installation.database, 'ends'),
      ]
      const other = await givenSession(installation.database, 'goes-on')
      assert.equal(
        await ok('disable', 'ends'),
        'Disabled the rule ends. Revoked 2 sessions that it opened.\n',
      )
      for (const id of [first, second]) assert.equal((await sessionOf(id)).revoked_by, 'operator')
      assert.equal((await sessionOf(other)).revoked_at, null)
      const { disabled_at } = await program.json('publishers show ends')
      assert.ok(Math.abs(Date.parse(disabled_at) - Date.now()) < 60_000)

      const again = await program.json('publishers disable ends')
      assert.deepEqual([again.disabled_at, again.revoked], [disabled_at, 0])
      const entries = (await entriesOf('publisher.disable')).filter(
        ({ subject }: { subject: string }) => subject === 'ends',
      )
      assert.deepEqual(
        entries.map(({ details }: { details: { sessions: number } }) => details.sessions),
        [2],
      )
    })

    test('remove accepts several rules, and revokes all their sessions', async () => {
      await ok(...rule('one'))
      await ok(...rule('two'))
      const sessions = [
        await givenSession(installation.database, 'one'),
        await givenSession(installation.database, 'two'),
      ]
      const { code, stdout, stderr } = await publishers('remove', 'one', 'two', 'three')
      assert.equal(code, 1)
      assert.match(
        stdout,
        /^Removed the rule one\. Revoked 1 session that it opened\.\nRemoved the rule two\. .*\nthree: There is no rule "three"\..*\n$/,
      )
      assert.match(stderr, /1 of 3 rules could not be removed/)
      for (const id of sessions) assert.equal((await sessionOf(id)).revoked_by, 'operator')
      assert.match(await refused('show', 'one'), /There is no rule "one"/)
      assert.equal((await entriesOf('publisher.remove'))[0].details.sessions, 1)
      assert.equal((await program.run('verify')).code, 0)
    })

    test('a rule that does not exist cannot be shown, disabled, removed or tested', async () => {
      const claims = join(program.directory, 'claims.json')
      await writeFile(claims, '{}')
      for (const words of [
        ...[['show'], ['disable'], ['remove']].map((verb) => [...verb, 'nothing']),
        ['test', 'nothing', '--claims', claims],
      ]) {
        assert.match(
          await refused(...words),
          /^ratafia: There is no rule "nothing"\. `ratafia publishers list`/,
        )
      }
    })
  })

  test('list marks rules that never matched, and those unused for 90 days', async () => {
    for (const name of ['unused', 'used', 'new']) await ok(...rule(name))
    const used = (name: string, daysAgo: number) =>
      installation.database.query
        .updateTable('publisher_rule')
        .set({ last_used_at: Date.now() - daysAgo * 86_400_000 })
        .where('name', '=', name)
        .execute()
    await used('unused', 91)
    await used('used', 89)
    const all = await program.json('publishers list')
    const disuse = Object.fromEntries(
      all.map((one: { name: string; disuse: string }) => [one.name, one.disuse]),
    )
    assert.deepEqual(
      [disuse['unused'], disuse['used'], disuse['new']],
      ['unused-for-90-days', null, 'never-matched'],
    )
    const table = await ok('list', '--columns', 'name,last_used')
    assert.match(table, /^unused +20\S+Z \(unused for 90 days\)$/m)
    assert.match(table, /^used +20\S+Z$/m)
    assert.match(table, /^new +never matched$/m)
  })

  test('accounts remove also removes the rules of the account, and prints their number', async () => {
    const account = ['--email', 'leaver@example.org', '--name', 'Leaver', '--no-password']
    await program.json('accounts', 'add', 'leaver', ...account)
    for (const name of ['left-1', 'left-2']) {
      await ok(...rule(name).map((word) => (word === 'build' ? 'leaver' : word)))
    }
    const session = await givenSession(installation.database, 'left-1')
    const { code, stdout } = await program.run('accounts remove --yes leaver')
    assert.equal(code, 0)
    assert.match(stdout, /\. Revoked 1 session and removed 2 CI rules\. Its remaining record/)
    for (const name of ['left-1', 'left-2']) assert.match(await refused('show', name), /There is no rule/)
    const row = await installation.database.query
      .selectFrom('token_session')
      .select(['job', 'description', 'revoked_by'])
      .where('session_id', '=', session)
      .executeTakeFirstOrThrow()
    assert.deepEqual(row, { job: null, description: null, revoked_by: 'operator' })
    const [entry] = await entriesOf('account.remove')
    assert.deepEqual([entry.details.sessions, entry.details.rules], [1, 2])
    assert.equal((await program.run('verify')).code, 0)
  })
})
