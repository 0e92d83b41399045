/** `ratafia publishers` refuses risky rules and hostile values, with a message and an exit code. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { MOST_RULES_OF_A_PROJECT } from '../../src/ci/rules/making/add-rule.ts'
import type { Installation } from '../../src/installation.ts'
import { line } from '../support/cases.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'
import { GITHUB, givenIssuer } from '../support/rules.ts'

const IDS = ['--match', 'repository_id=74', '--match', 'repository_owner_id=65']
const MATCH = [...IDS, '--match', 'ref=refs/heads/main']
const GRANTS = ['--package', 'hello', '--permission', 'package_upload']

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(fresh)
  const { describeOnce, testOnce } = onOne(kind)
  let installation: Installation
  before(async () => {
    await program.addAccount('build')
    installation = await program.open()
    await givenIssuer(installation.database, GITHUB, 'github')
  })

  interface Tried {
    readonly name?: string
    readonly issuer?: string
    readonly account?: string
    readonly match?: readonly string[]
    readonly grants?: readonly string[]
    readonly more?: readonly string[]
  }
  const add = (tried: Tried) => {
    const { name = 'tried', issuer = GITHUB, account = 'build', match = MATCH, grants = GRANTS } = tried
    const words = ['--issuer', issuer, '--account', account, ...match, ...grants, ...(tried.more ?? [])]
    return program.run(['publishers', 'add', name, ...words])
  }
  const refuses = async (tried: Tried, exitCode: number, message: RegExp) => {
    const { code, stdout, stderr } = await add(tried)
    assert.deepEqual([code, stdout], [exitCode, ''], stderr)
    assert.match(stderr, message)
    assert.ok(stderr.length < 3000, `the message has ${stderr.length} characters`)
    assert.deepEqual(await program.json('publishers list'), [])
  }

  const of =
    (name: string) =>
    (...words: string[]) =>
      words.flatMap((word) => [name, word])
  const claims = (...words: string[]): Tried => ({ match: [...MATCH, ...of('--match')(...words)] })
  const more = (...words: string[]): Tried => ({ more: words })
  const many = (make: (at: number) => string) => Array.from({ length: 1000 }, (_, at) => make(at))

  // The vectors include grants-everything and grants-account.
  const REFUSED: Readonly<Record<string, readonly [tried: Tried, message: RegExp, exitCode?: number]>> = {
    'no permission and no package': [{ grants: [] }, /pass --permission\.\n.*packages .*: pass --package\./],
    ...Object.fromEntries(
      ['edit_account', 'modify_account_key', 'store_admin', 'store_review', 'package_purchase'].map(
        (name) => [
          `the permission ${name}, even with --allow-register`,
          [
            more('--permission', name, '--allow-register'),
            new RegExp(`A rule cannot grant ${name}\\. Remove it\\.`),
          ],
        ],
      ),
    ),
    'a permission of publisher gateways': [
      more('--permission', 'account-manage-keys'),
      /A rule cannot grant account-manage-keys\. Rules grant permissions of the tokens API\./,
    ],
    'the permission package_register without --allow-register': [
      more('--permission', 'package_register'),
      /also pass --allow-register/,
    ],
    'a lifetime of less than a minute': [more('--lifetime', '59s'), /of 59 seconds is not between 60 and/],
    'a lifetime of more than an hour': [more('--lifetime', '3601'), /not between 60 and 3600/],
    'an invalid lifetime': [more('--lifetime', '1.5'), /is not a duration: write a number of seconds/, 2],
    'no match at all': [{ match: [] }, /repository_id and repository_owner_id are needed/],
    'a match of names only': [
      { match: ['--match', 'repository=a/b'] },
      /repository_id and repository_owner_id are needed/,
    ],
    '--match without a value': [{ match: ['--match', 'ref'] }, /neither claim=text nor claim:=JSON/, 2],
    '--match without a claim': [{ match: ['--match', '=x'] }, /neither claim=text nor claim:=JSON/, 2],
    '--match twice': [claims('ref=x'), /names ref twice/, 2],
    'invalid JSON': [claims('x:={'), /the value after := is not JSON/, 2],
    'a list': [claims('x:=["a"]'), /x: a matcher is /],
    'a regular expression': [claims('x:={"regex":"."}'), /x: a matcher is /],
    'an unknown issuer': [{ issuer: 'https://x' }, /There is no issuer "https:\/\/x"/],
    'the issuer with a slash': [{ issuer: `${GITHUB}/` }, /There is no issuer/],
    'an unknown account': [{ account: 'unknown' }, /There is no account "unknown"/],
  }
  describeOnce('refuses', () => {
    for (const [title, [tried, message, exitCode = 1]] of Object.entries(REFUSED)) {
      test(title, () => refuses(tried, exitCode, message))
    }
  })

  const LONG = 'x'.repeat(10_000)
  const padded = (at: number) => `${at}`.padEnd(128, 'x')
  const HOSTILE: Readonly<Record<string, readonly [tried: Tried, message: RegExp]>> = {
    'a name with NUL': [{ name: 'a\0b' }, /The name "a\\u0000b" is not 1 to 64/],
    'a name of 10,000 characters': [{ name: LONG }, /The name "x{64}…" is not 1 to 64/],
    'a name of 65 characters': [{ name: 'x'.repeat(65) }, /is not 1 to 64/],
    'an issuer with NUL': [{ issuer: `${GITHUB}\0` }, /There is no issuer/],
    'an issuer of 10,000 characters': [{ issuer: `https://${LONG}` }, /There is no issuer/],
    'half a character in the issuer': [{ issuer: 'https://\ud800' }, /There is no issuer/],
    'an account with NUL': [{ account: 'build\0' }, /There is no account/],
    'an account of 10,000 characters': [{ account: LONG }, /There is no account/],
    'a package with NUL': [{ grants: ['--package', 'a\0', ...GRANTS.slice(2)] }, /printable ASCII/],
    'a package of 10,000 characters': [more('--package', LONG), /"x{64}…" is not 1 to 128 printable/],
    'a permission of 10,000 characters': [more('--permission', LONG), /is not 1 to 128 printable/],
    'a channel with a line break': [more('--channel', 'a\nb'), /"a\\nb" is not 1 to 128 printable/],
    '1000 packages': [
      more(...of('--package')(...many((at) => `p${at}`))),
      /more than 256 --package options\./,
    ],
    '256 packages and 256 channels, which fit into no token': [
      {
        more: ['--package', '--channel'].flatMap((name) => of(name)(...many(padded).slice(0, 256))),
        grants: GRANTS.slice(2),
      },
      /The limits do not fit into a caveat\. Use fewer\./,
    ],
    'a claim whose value has NUL': [claims('x=\0'), /x: a matcher is a string/],
    'a claim whose value has half a character': [claims('x=\udc00'), /x: a matcher is a string/],
    'a claim whose value has 10,000 characters': [claims(`x=${LONG}`), /x: a matcher is a string/],
    'a claim whose name has 10,000 characters': [claims(`${LONG}=x`), /the name of a claim must have 1 to/],
    'a claim whose name has NUL': [claims('a\0=x'), /the name of a claim must have 1 to/],
    '1000 claims': [claims(...many((at) => `c${at}=x`)), /A rule can match at most 32 claims\./],
    '1000 alternatives': [
      claims(`x:=${JSON.stringify({ any_of: many(String) })}`),
      /x: a matcher is a string/,
    ],
    'a number beyond the precision of JSON': [claims('x:=9007199254740993'), /x: a matcher is/],
    'ids of 1000 digits': [
      { match: [...MATCH.slice(2), '--match', `repository_id=${'7'.repeat(1000)}`] },
      /The ids are longer than/,
    ],
  }
  describe('refuses hostile values:', () => {
    for (const [title, [tried, message]] of Object.entries(HOSTILE))
      test(title, () => refuses(tried, 1, message))
  })

  test('accepts a claim called __proto__ like any other', async () => {
    const { code, stderr } = await add({ name: 'proto', ...claims('__proto__=x') })
    assert.deepEqual([code, stderr], [0, ''])
    const { match } = await program.json('publishers show proto')
    assert.equal(Object.getOwnPropertyDescriptor(match, '__proto__')?.value, 'x')
    await program.says('publishers remove proto')
  })

  for (const verb of ['show', 'disable', 'remove']) {
    test(`${verb} refuses names that no rule has`, async () => {
      for (const name of ['a\0b', LONG, '\ud800', '']) {
        const stderr = await program.refuses(['publishers', verb, name], /^ratafia: There is no rule "/)
        assert.ok(stderr.length < 300)
      }
    })
  }

  for (const words of line`
    'publishers show nope' 'publishers test nope --claims -' 'publishers disable nope' 'publishers remove nope'
    'publishers list --issuer nope' 'issuers show nope' 'issuers refresh nope' 'issuers remove nope --yes'
    'trust remove nope --yes' 'accounts show nope'`) {
    test(`${words}: the error code is that of a missing record`, async () => {
      const { code, stderr } = await program.run(`${words} --json`, { input: '{}' })
      assert.deepEqual([code, JSON.parse(stderr).error.code], [1, 'no-such-record'])
    })
  }

  const ofProject = (id: string) => MATCH.map((word) => word.replace('_id=74', `_id=${id}`))

  testOnce(`a project has at most ${MOST_RULES_OF_A_PROJECT} rules`, async () => {
    assert.equal((await add({ name: 'first' })).stderr, '')
    const { query } = installation.database
    const row = await query.selectFrom('publisher_rule').selectAll().executeTakeFirstOrThrow()
    const more = Array.from({ length: MOST_RULES_OF_A_PROJECT - 1 }, (_, at) => ({
      ...{ ...row, id: `${at}`, name: `n${at}` },
    }))
    await query.insertInto('publisher_rule').values(more).execute()
    const last = await add({ name: 'last' })
    assert.equal(last.code, 1)
    assert.match(
      last.stderr,
      /There are already 100 rules for this project\. Remove one that is not needed\./,
    )
    assert.equal((await add({ name: 'of-another', match: ofProject('75') })).code, 0)
  })

  testOnce('RATAFIA_CI_MAX_LIFETIME limits the lifetime, and lowers the default', async () => {
    const words = ['publishers', 'add', 'short', '--issuer', GITHUB, '--account', 'build', ...GRANTS]
    const options = { environment: { RATAFIA_CI_MAX_LIFETIME: '5m' } }
    const usual = [...words, ...ofProject('76')]
    await program.refuses([...usual, '--lifetime', '301'], /is not between 60 and 300\./, 1, options)
    await program.says(usual, /that expire after 300 seconds\.\n$/, options)
  })
})
