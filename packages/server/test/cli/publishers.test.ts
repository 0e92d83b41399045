/** An operator manages the rules for CI jobs with `ratafia publishers`. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Installation } from '../../src/installation.ts'
import { eachDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'
import { GITHUB, GITLAB, givenIssuer, givenSession } from '../support/rules.ts'

const SNAP_ID = 'hello'.padEnd(32, 'A')

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let installation: Installation
  const { json, says, refuses } = program
  const RULE = `--issuer ${GITHUB} --account build --package hello --permission package_upload --match repository_id=74 --match repository_owner_id=65 --match ref=refs/heads/main`
  const rule = (name: string, account = 'build') =>
    `publishers add ${name} ${RULE.replace('--account build', `--account ${account}`)}`
  const entriesOf = (action: string) => json(`audit list --action ${action}`)

  before(async () => {
    await program.addAccount('build')
    const file = join(program.directory, 'packages.csv')
    await writeFile(file, `name,snap_id\nhello,${SNAP_ID}\n`)
    await json(`packages import ${file}`)
    installation = await program.open()
    await givenIssuer(installation.database, GITHUB, 'github')
    await givenIssuer(installation.database, GITLAB, 'gitlab')
  })

  test('a rule with every option can be added, listed and shown', async () => {
    await says('publishers list', /^No CI rules yet\./)
    assert.deepEqual(await json('publishers list'), [])

    await says(
      `${rule('full')} --match environment=prod --match run_attempt:={"any_of":["1","2"]} --lifetime 120 --permission package_release --channel edge --store acme --package hello`,
      'Jobs that match the rule full get tokens of build that expire after 120 seconds.\n',
    )
    const [listed] = await json('publishers list')
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
      ...{ packages: [SNAP_ID], channels: ['edge'], stores: ['acme'], lifetime_seconds: 120 },
      ...{ disabled_at: null, last_used_at: null, disuse: 'never-matched' },
    })
    assert.deepEqual(await json('publishers show full'), { ...listed, warnings: [] })
    const matched =
      'repository_id=74 repository_owner_id=65 ref=refs/heads/main environment=prod run_attempt:={"any_of":["1","2"]}'
    const shown = await says('publishers show full', /^last used: +never matched$/m)
    assert.equal(/^match: +(.*)$/m.exec(shown)?.[1], matched)
    await says('publishers list --columns name,last_used', /^NAME +LAST USED\nfull +never matched\n$/)

    const [entry] = await entriesOf('publisher.add')
    assert.deepEqual([entry.subject, entry.details.version], ['full', version])
    assert.deepEqual(entry.details.match, matched.split(' '))
  })

  test('list can be limited to one account or one issuer', async () => {
    await says(rule('of-github'))
    const names = async (words: string) =>
      (await json(`publishers list ${words}`)).map(({ name }: { name: string }) => name)
    assert.ok((await names(`--account build --issuer ${GITHUB}`)).includes('of-github'))
    assert.deepEqual(await names(`--issuer ${GITLAB}`), [])
    await refuses('publishers list --account unknown', /There is no account "unknown"/)
    await refuses('publishers list --issuer https://x', /There is no issuer "https:\/\/x"/)
  })

  test('by default the lifetime is 15 minutes, and a GitLab rule matches only protected refs', async () => {
    const match = '--match project_id=20 --permission package_upload --package hello'
    const made = await json(`publishers add plain --issuer ${GITLAB} --account build ${match}`)
    assert.deepEqual(made.match, { project_id: '20', ref_protected: 'true' })
    assert.equal(made.lifetime_seconds, 900)
  })

  test('a risky rule, or one of a disabled account, is created with a warning', async () => {
    const risky = rule('risky').replace('ref=refs/heads/main', 'environment=prod')
    const { code, stdout, stderr } = await program.run(risky)
    assert.equal(code, 0)
    assert.equal(
      stdout,
      'Jobs that match the rule risky get tokens of build that expire after 900 seconds.\n',
    )
    assert.match(
      stderr,
      /^ratafia: warning: A rule that matches only environment lets in every branch .*\.\n$/,
    )
    const { warnings } = await json('publishers show risky')
    assert.equal(`ratafia: warning: ${warnings}\n`, stderr)
    assert.ok((await says('publishers show risky')).endsWith(`Warning: ${warnings}\n`))
    await says('publishers remove risky')
    assert.deepEqual((await json(risky)).warnings, warnings)

    await program.addAccount('off')
    await says('accounts disable --yes off')
    const disabled = await program.run(rule('of-off', 'off'))
    assert.deepEqual(
      [disabled.code, disabled.stderr],
      [0, 'ratafia: warning: The account off is disabled: jobs get nothing until it is enabled.\n'],
    )
  })

  test('a refusal lists all problems of a rule at once, and stores nothing', async () => {
    const before = await json('publishers list')
    const bad = `publishers add 'Bad name' --issuer ${GITHUB} --account unknown --lifetime 59 --match repository=octo-org/octo-repo --match sub=repo:octo-org/octo-repo --permission edit_account --permission package_register --permission frobnicate --package unknown --package hello --channel é`
    const problems = [
      /^ratafia: The name "Bad name" is not 1 to 64 characters of a-z, 0-9 and "\._-"/,
      /^ratafia: There is no account "unknown"\.$/,
      /^ratafia: repository_id and repository_owner_id are needed.* sub is not matched on GitHub/,
      /^ratafia: No package is named "unknown"\.$/,
      /^ratafia: --channel "é" is not 1 to 128 printable ASCII characters\.$/,
      /^ratafia: There is no permission "frobnicate"\. docs\/tokens\.md lists all permissions\.$/,
      /^ratafia: A rule cannot grant edit_account\. Remove it\.$/,
      /^ratafia: package_register lets jobs register names\. To allow that, also pass --allow-register\.$/,
      /^ratafia: A lifetime of 59 seconds is not between 60 and 3600\. RATAFIA_CI_MAX_LIFETIME sets the upper limit\.$/,
    ]
    const lines = (await refuses(bad, /./)).trimEnd().split('\n')
    assert.equal(lines.length, problems.length, lines.join('\n'))
    for (const [at, problem] of problems.entries()) assert.match(lines[at] ?? '', problem)
    const { error } = JSON.parse(await refuses(`${bad} --json`, /./))
    assert.deepEqual([error.code, error.message.split('\n').length], ['invalid-field', problems.length])
    assert.deepEqual(await json('publishers list'), before)
  })

  test('a name belongs to one rule; a rule that is removed and added again has a different version', async () => {
    const first = await json(rule('again'))
    await refuses(rule('again'), 'ratafia: There is already a rule "again". Choose another name.\n')
    await says('publishers remove again')
    const second = await json(rule('again'))
    assert.deepEqual(second.match, first.match)
    assert.notEqual(second.version, first.version)
  })

  describe('disable and remove', () => {
    const sessionOf = async (id: string) =>
      (await json('tokens list --include-inactive')).find(
        (session: { session_id: string }) => session.session_id === id,
      )

    test('disable revokes the sessions of the rule once, and keeps the rule', async () => {
      for (const name of ['ends', 'goes-on']) await says(rule(name))
      const sessions = []
      for (const name of ['ends', 'ends', 'goes-on']) {
        sessions.push(await givenSession(installation.database, name))
      }
      await says('publishers disable ends', 'Disabled the rule ends. Revoked 2 sessions that it opened.\n')
      const [first = '', second = '', other = ''] = sessions
      for (const id of [first, second]) assert.equal((await sessionOf(id)).revoked_by, 'operator')
      assert.equal((await sessionOf(other)).revoked_at, null)
      const { disabled_at } = await json('publishers show ends')
      assert.ok(Math.abs(Date.parse(disabled_at) - Date.now()) < 60_000)

      const again = await json('publishers disable ends')
      assert.deepEqual([again.disabled_at, again.revoked], [disabled_at, 0])
      const [entry, ...more] = await json('audit list --action publisher.disable --subject ends')
      assert.deepEqual([entry.details.sessions, more], [2, []])
    })

    test('remove accepts several rules, and revokes all their sessions', async () => {
      const sessions = []
      for (const name of ['one', 'two']) {
        await says(rule(name))
        sessions.push(await givenSession(installation.database, name))
      }
      const { code, stdout, stderr } = await program.run('publishers remove one two three')
      assert.equal(code, 1)
      assert.match(
        stdout,
        /^Removed the rule one\. Revoked 1 session that it opened\.\nRemoved the rule two\. .*\nthree: There is no rule "three"\..*\n$/,
      )
      assert.match(stderr, /1 of 3 rules could not be removed/)
      for (const id of sessions) assert.equal((await sessionOf(id)).revoked_by, 'operator')
      assert.equal((await entriesOf('publisher.remove'))[0].details.sessions, 1)
      await says('verify')
    })

    test('a rule that does not exist cannot be shown, disabled, removed or tested', async () => {
      const claims = join(program.directory, 'claims.json')
      await writeFile(claims, '{}')
      for (const words of ['show one', 'disable one', 'remove one', `test one --claims ${claims}`]) {
        await refuses(`publishers ${words}`, /^ratafia: There is no rule "one"\. `ratafia publishers list`/)
      }
    })
  })

  test('list marks rules that never matched, and those unused for 90 days', async () => {
    for (const name of ['unused', 'used', 'new']) await says(rule(name))
    const used = (name: string, daysAgo: number) =>
      installation.database.query
        .updateTable('publisher_rule')
        .set({ last_used_at: Date.now() - daysAgo * 86_400_000 })
        .where('name', '=', name)
        .execute()
    await used('unused', 91)
    await used('used', 89)
    const all: readonly { name: string; disuse: string }[] = await json('publishers list')
    assert.deepEqual(
      ['unused', 'used', 'new'].map((name) => all.find((one) => one.name === name)?.disuse),
      ['unused-for-90-days', null, 'never-matched'],
    )
    const table = await says('publishers list --columns name,last_used', /^new +never matched$/m)
    assert.match(table, /^unused +20\S+Z \(unused for 90 days\)$/m)
    assert.match(table, /^used +20\S+Z$/m)
  })

  test('accounts remove also removes the rules of the account, and prints their number', async () => {
    await program.addAccount('leaver')
    for (const name of ['left-1', 'left-2']) await says(rule(name, 'leaver'))
    const session = await givenSession(installation.database, 'left-1')
    await says(
      'accounts remove --yes leaver',
      /\. Revoked 1 session and removed 2 CI rules\. Its remaining record/,
    )
    for (const name of ['left-1', 'left-2']) {
      await refuses(`publishers show ${name}`, /There is no rule/)
    }
    const row = await installation.database.query
      .selectFrom('token_session')
      .select(['job', 'description', 'revoked_by'])
      .where('session_id', '=', session)
      .executeTakeFirstOrThrow()
    assert.deepEqual(row, { job: null, description: null, revoked_by: 'operator' })
    const [entry] = await entriesOf('account.remove')
    assert.deepEqual([entry.details.sessions, entry.details.rules], [1, 2])
    await says('verify')
  })
})
