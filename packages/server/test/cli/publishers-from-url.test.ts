/** `ratafia publishers add --from-url`: the ids of a project, from its forge, agreed to by a person. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { atTerminal } from '../support/at-terminal.ts'
import { oneDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'
import { givenIssuer } from '../support/rules.ts'
import { testIssuer } from '../support/test-issuer.ts'

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const forge = testIssuer()
  let asked: (string | undefined)[]
  before(async () => {
    assert.equal((await program.run(['migrate'])).code, 0)
    const account = ['--email', 'build@example.org', '--name', 'Build farm', '--no-password']
    await program.json('accounts', 'add', 'build', ...account)
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
  const words = (name: string, url: string, ...more: readonly string[]) => [
    ...['publishers', 'add', name, '--issuer', forge.url, '--account', 'build', '--from-url', url],
    ...['--match', 'ref_protected=true', '--package', 'hello', '--permission', 'package_upload', ...more],
  ]
  const address = () => `${forge.url}/acme/tools/hello`
  const IDS = 'Acme/tools/hello?[2J has the ids project_id=20: the rule matches them.\n'

  test('a script is told the ids, and the rule has them', async () => {
    const { code, stderr } = await program.run(words('script', address()))
    assert.deepEqual([code, stderr], [0, IDS])
    assert.deepEqual(asked.splice(0), ['/api/v4/projects/acme%2Ftools%2Fhello', 'ratafia'])
    const { match } = await program.json('publishers', 'show', 'script')
    assert.deepEqual(match, { ref_protected: 'true', project_id: '20' })
  })

  test('a person agrees to them, or no rule is made', async () => {
    const no = await atTerminal(words('person', address()), 'n\r', program.environment)
    assert.deepEqual([no.code, no.asked], [1, true])
    assert.ok(no.stderr.startsWith(IDS), no.stderr)
    assert.match(no.stderr, /Nothing was changed\./)
    assert.equal((await program.run(['publishers', 'show', 'person'])).code, 1)
    const yes = await atTerminal(words('person', address()), 'y\r', program.environment)
    assert.deepEqual([yes.code, yes.asked], [0, true])
    assert.equal((await program.json('publishers', 'show', 'person')).match.project_id, '20')
    const unasked = await atTerminal(words('unasked', address(), '--yes'), '', program.environment)
    assert.deepEqual([unasked.code, unasked.asked, unasked.stderr], [0, false, IDS])
  })

  test('an id that --match gives otherwise is refused', async () => {
    const { code, stderr } = await program.run(words('other', address(), '--match', 'project_id=21'))
    assert.equal(code, 2)
    assert.match(stderr, /--match has another project_id than the project of --from-url/)
    const same = await program.run(words('same', address(), '--match', 'project_id=20'))
    assert.equal(same.code, 0)
  })

  test('a project that the forge does not show, and one elsewhere', async () => {
    const hidden = await program.run(words('hidden', `${forge.url}/acme/private`))
    assert.deepEqual([hidden.code, hidden.stdout], [3, ''])
    assert.match(
      hidden.stderr,
      /status 404\. If the project is private, give its ids with --match: project_id\./,
    )
    asked = []
    const elsewhere = await program.run(words('elsewhere', 'https://gitlab.com/acme/hello'))
    assert.deepEqual([elsewhere.code, elsewhere.stdout], [1, ''])
    assert.match(elsewhere.stderr, /is not the address of a project whose jobs have tokens of this issuer/)
    assert.deepEqual(asked, [])
  })
})
