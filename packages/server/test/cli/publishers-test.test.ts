/** `ratafia publishers` tests claims from a file against a rule, and gets the ids of a project from its forge. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Installation } from '../../src/installation.ts'
import { atTerminal } from '../support/at-terminal.ts'
import { oneDatabase } from '../support/databases.ts'
import { oidcVectors } from '../support/id-tokens.ts'
import { testProgram } from '../support/program.ts'
import { GITHUB, givenIssuer } from '../support/rules.ts'
import { testIssuer } from '../support/test-issuer.ts'

const CLAIMS =
  oidcVectors().claimSets.get('github-branch')?.claims ?? assert.fail('the vectors do not contain it')
const BASE_URL = { RATAFIA_BASE_URL: 'https://store.example.com' }

/** Returns an unsigned JWT with these claims. */
const unsigned = (claims: unknown) =>
  [{ alg: 'RS256', kid: 'x', typ: 'JWT' }, claims, 'no signature']
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let installation: Installation
  let number = 0
  const fileOf = async (text: string) => {
    const file = join(program.directory, `claims-${++number}`)
    await writeFile(file, text)
    return file
  }
  const tested = async (claims: unknown, ...more: readonly string[]) =>
    program.run(['publishers', 'test', 'hello', '--claims', await fileOf(JSON.stringify(claims)), ...more], {
      environment: BASE_URL,
    })
  const told = async (claims: unknown) => {
    const { code, stdout } = await tested(claims, '--json')
    const answer = JSON.parse(stdout)
    assert.equal(code, answer.holds ? 0 : 1)
    return {
      ...answer,
      wrong: answer.lines
        .filter(({ holds }: { holds: boolean }) => !holds)
        .map(({ about, claim }: { about: string; claim: string }) => `${about} ${claim}`),
    }
  }

  const release = { ...CLAIMS, ref: 'refs/heads/release-1' }

  before(async () => {
    await program.addAccount('build')
    installation = await program.open()
    await givenIssuer(installation.database, GITHUB, 'github')
    await program.json(
      `publishers add hello --issuer ${GITHUB} --account build --package hello --permission package_upload --match repository_id=74 --match repository_owner_id=65 --match ref:={"glob":"refs/heads/release-*"}`,
    )
  })

  test('exits with 0 if the claims match the rule, however old they are', async () => {
    const { code, stdout, stderr } = await tested(release)
    assert.deepEqual([code, stderr], [0, ''])
    const at = new Date(Number(CLAIMS['iat']) * 1000).toISOString()
    assert.match(stdout, new RegExp(`^As of ${at}:\nMATCH +ABOUT +CLAIM +EXPECTED +FOUND\n`))
    assert.match(stdout, /^yes +match +repository_id +"74" +"74"$/m)
    assert.match(stdout, /^yes +event +event_name .*"push"$/m)
    assert.match(
      stdout,
      /\nA job with these claims gets a token from the rule hello, if its ID token is signed and new\.\n$/,
    )
    assert.doesNotMatch(stdout, /^NO/m)
  })

  test('exits with 1 if the claims do not match, and shows each difference', async () => {
    const { code, stdout, stderr } = await tested({
      ...CLAIMS,
      ...{ repository_id: '75', event_name: 'pull_request', aud: 'https://other.example.com' },
    })
    assert.equal(code, 1)
    assert.match(stdout, /^NO +match +repository_id +"74" +"75"$/m)
    assert.match(stdout, /^NO +match +ref +\{"glob":"refs\/heads\/release-\*"\} +"refs\/heads\/main"$/m)
    assert.match(stdout, /^NO +event +event_name +.*"pull_request"$/m)
    assert.match(
      stdout,
      /^NO +audience +aud +"https:\/\/store\.example\.com" +"https:\/\/other\.example\.com"$/m,
    )
    assert.equal(
      stderr,
      'ratafia: A job with these claims would not get a token from the rule hello: 4 checks failed.\n',
    )
  })

  test('--json prints the lines, and exits with the same code', async () => {
    assert.deepEqual((await told(release)).wrong, [])
    assert.deepEqual((await told({ ...release, iss: 'https://gitlab.com' })).wrong, ['issuer iss'])
    assert.deepEqual((await told({ ...release, exp: undefined })).wrong, ['time exp'])
    const { wrong } = await told({})
    assert.deepEqual(wrong, [
      ...['issuer iss', 'match repository_id', 'match repository_owner_id', 'match ref'],
      ...['event event_name', 'audience aud', 'time exp'],
    ])
  })

  describe('files', () => {
    const TEST = 'publishers test hello --claims'

    test('accepts an ID token from a file or standard input, without checking its signature', async () => {
      const token = unsigned(release)
      for (const [file, input] of [
        [await fileOf(`${token}\n`), ''],
        ['-', token],
      ] as const) {
        const { code, stdout, stderr } = await program.run(`${TEST} ${file}`, {
          input,
          environment: BASE_URL,
        })
        const note = "The ID token's signature is not checked, so anyone could have written it.\n"
        assert.deepEqual([code, stderr], [0, note])
        assert.doesNotMatch(stdout, new RegExp(token.slice(0, 20)))
      }
    })

    test('accepts JSON from standard input', async () => {
      await program.says(`${TEST} -`, undefined, { input: JSON.stringify(release), environment: BASE_URL })
    })

    for (const [title, text, message] of [
      ['JSON that ends early', '{"a":', /claims-\d+ is not a JSON object\.\n$/],
      ['an empty file', '', /^ratafia: /],
      ['a list', '[]', /^ratafia: /],
      ['a string that is not a token', 'hello', /^ratafia: /],
      ['NUL', '\0', /^ratafia: /],
      ['70,000 characters', 'x'.repeat(70_000), /has more than 64 KiB, so it cannot be an ID token\.\n$/],
      ['a token of 20,000 characters', unsigned({ x: 'x'.repeat(20_000) }), /^ratafia: /],
    ] as const) {
      test(`refuses ${title}`, async () => {
        const stderr = await program.refuses(`${TEST} ${await fileOf(text)}`, message)
        assert.ok(stderr.length < 500)
      })
    }

    test('refuses a missing file, and too much standard input', async () => {
      await program.refuses(`${TEST} missing.json`, /missing\.json cannot be read: there is no such file/)
      await program.refuses(`${TEST} -`, /./, 2, { input: 'x'.repeat(70_000) })
    })

    test('control characters in claims never reach the terminal', async () => {
      const { stdout } = await tested({ ...CLAIMS, ref: '\u001b[2J\u202e', repository_id: { a: [[]] } })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it must not be there
      assert.doesNotMatch(stdout, /[\u001b\u202e]/)
    })
  })

  test('the table shows that a disabled account or rule does not grant a token', async () => {
    await program.says('accounts disable --yes build')
    assert.deepEqual((await told(release)).wrong, ['account build'])
    await program.says('accounts enable build')
    await program.says('publishers disable hello')
    assert.deepEqual((await told(release)).wrong, ['rule hello'])
  })
})

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const { json, refuses } = program
  const forge = testIssuer()
  let asked: (string | undefined)[]
  before(async () => {
    await program.addAccount('build')
    const { database } = await program.open()
    await givenIssuer(database, forge.url, 'gitlab')
    await givenIssuer(database, 'https://gitlab.com', 'gitlab')
    asked = []
    forge.answerWith(({ url, headers }, response) => {
      asked.push(url, headers['user-agent'])
      if (url?.includes('private')) response.writeHead(404).end()
      else response.end(JSON.stringify({ id: 20, path_with_namespace: 'Acme/tools/hello\u001b[2J' }))
      return true
    })
  })
  const adding = (name: string, url = `${forge.url}/acme/tools/hello`) =>
    `publishers add ${name} --issuer ${forge.url} --account build --from-url ${url} --match ref_protected=true --package hello --permission package_upload`
  const IDS = 'Acme/tools/hello?[2J has the ids project_id=20. The rule matches them.\n'

  test('in a script --from-url prints the ids, and the rule matches them', async () => {
    const { code, stderr } = await program.run(adding('script'))
    assert.deepEqual([code, stderr], [0, IDS])
    assert.deepEqual(asked.splice(0), ['/api/v4/projects/acme%2Ftools%2Fhello', 'ratafia'])
    const { match } = await json('publishers show script')
    assert.deepEqual(match, { ref_protected: 'true', project_id: '20' })
  })

  test('at a terminal --from-url asks whether the ids are right, and creates the rule only after a yes', async () => {
    const no = await atTerminal(adding('person'), 'n\r', program.environment)
    assert.deepEqual([no.code, no.asked], [1, true])
    assert.ok(no.stderr.startsWith(IDS), no.stderr)
    assert.match(no.stderr, /Nothing was changed\./)
    await refuses('publishers show person', /There is no rule/)
    const yes = await atTerminal(adding('person'), 'y\r', program.environment)
    assert.deepEqual([yes.code, yes.asked], [0, true])
    assert.equal((await json('publishers show person')).match.project_id, '20')
    const unasked = await atTerminal(`${adding('unasked')} --yes`, '', program.environment)
    assert.deepEqual([unasked.code, unasked.asked, unasked.stderr], [0, false, IDS])
  })

  test('refuses an id in --match that differs from the project of --from-url', async () => {
    const other = `${adding('other')} --match project_id=21`
    await refuses(other, /--match gives project_id a different value than the project of --from-url/, 2)
    assert.equal((await program.run(other.replace('=21', '=20'))).code, 0)
  })

  test('refuses a project that the forge does not show, and one of another forge', async () => {
    await refuses(
      adding('hidden', `${forge.url}/acme/private`),
      /status 404\. If the project is private, pass its ids with --match: project_id\./,
      3,
    )
    asked = []
    await refuses(
      adding('elsewhere', 'https://gitlab.com/acme/hello'),
      /is not the address of a project whose jobs have tokens of this issuer/,
    )
    assert.deepEqual(asked, [])
  })
})
