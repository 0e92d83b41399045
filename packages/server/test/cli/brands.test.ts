/**
 * `ratafia trust`, `brands`, `signing-keys`, `models`, `api-keys`, `hardware-identities`. The demo brand is
 * created on SQLite only, because its keys take seconds.
 */
import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { testKey, vectorPath } from '../support/brands.ts'
import { line } from '../support/cases.ts'
import { eachDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'

const world = (name: string) => vectorPath(`world/${name}`)
const brandKey = testKey('brand').publicKey.id
const addAcme = (signingKey = world('keys/brand.pem')) => line`
  brands add --account ${world('account-acme-brand')} --account-key ${world('account-key-acme-brand')}
  --signing-key ${signingKey}`
const CLASSIC = 'acme-brand/acme-classic'

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(fresh)
  before(async () => assert.equal((await program.run('migrate')).code, 0))

  const says = async (words: readonly string[], stdout: RegExp) => {
    const finished = await program.run(words)
    assert.deepEqual([finished.code, finished.stderr], [0, ''])
    assert.match(finished.stdout, stdout)
  }
  const refuses = async (words: readonly string[], message: RegExp, code = 1) => {
    const finished = await program.run(words)
    assert.deepEqual([finished.code, finished.stdout], [code, ''], finished.stderr)
    assert.match(finished.stderr, message)
  }

  test('Canonical is a built-in trust root, and another root can be added', async () => {
    await refuses(
      'trust remove canonical',
      /^ratafia: The trust root canonical is built in and cannot be removed\./,
    )
    await refuses(['trust', 'add', world('account-test-root')], /is missing\. Add both\.\n$/)
    await refuses(
      'trust add nothing',
      /^ratafia: nothing cannot be read: there is no such file or directory\. Check the path\.\n$/,
    )
    const added = await program.json(
      ...line`trust add ${world('account-test-root')} ${world('account-key-test-root')}`,
    )
    assert.deepEqual(added, [{ account_id: 'test-root', key_ids: [testKey('root').publicKey.id] }])
    const roots = await program.json('trust list')
    assert.deepEqual(
      roots.map((root: { account_id: string; origin: string }) => [root.account_id, root.origin]),
      [
        ['canonical', 'built in'],
        ['test-root', 'added'],
      ],
    )
  })

  test('brands add refuses a key of another account, then brands can be added, listed and shown', async () => {
    await says('brands list', /^No brands yet\./)
    await refuses(
      addAcme(world('keys/device.pem')),
      /Pass the key and the assertion that belong together\.\n$/,
    )
    const added = await program.json(...addAcme())
    assert.deepEqual(added, { account_id: 'acme-brand', display_name: 'Acme-brand', key_id: brandKey })
    await says('brands list', /^ACCOUNT ID +DISPLAY NAME +ADDED AT\nacme-brand +Acme-brand /)
    const shown = await program.json('brands show acme-brand')
    assert.deepEqual([shown.account_id, shown.signing_keys[0].state], ['acme-brand', 'signs'])
    await refuses('brands show nobody', /^ratafia: There is no brand nobody\./)
    await refuses('trust remove test-root', /^ratafia: acme-brand is trusted only through test-root/)
  })

  test('models add requires --registration, and models have policies and remodels', async () => {
    const [classic, gadget] = [world('model-acme-classic'), world('model-acme-gadget')]
    await refuses(['models', 'add', classic], /Required option '--registration/, 2)
    await refuses(['models', 'add', classic, '--registration', 'maybe'], /Allowed choices are auto/, 2)
    const open = await program.run(['models', 'add', classic, '--registration', 'auto'])
    assert.deepEqual([open.code, open.stdout], [0, 'Added the model acme-brand/acme-classic.\n'])
    assert.match(open.stderr, /^Warning: Anyone who has the model assertion gets a serial/)
    const policy = line`--registration allow-list --serial-template AC-{number:8} --clones quarantine`
    const added = await program.json('models', 'add', gadget, ...policy)
    assert.deepEqual(
      [added.registration, added.proposed_serial, added.taken_serial, added.serials, added.clones],
      ['allow-list', 'optional', 'refuse', 'AC-{number:8}', 'quarantine'],
    )
    await refuses(['models', 'update', classic, '--json', 'x'], /Too many arguments/, 2)
    const updated = await program.run(['models', 'update', classic])
    assert.match(updated.stdout, /^Updated the assertion of .*\.\n$/)
    assert.match(updated.stderr, /^Warning: Anyone who has the model assertion gets a serial/)
    await says(
      ['models', 'set-policy', CLASSIC, '--registration', 'approval', '--taken-serial', 'reissue'],
      /^Changed the policy of acme-brand\/acme-classic\.\n$/,
    )
    await refuses(['models', 'set-policy', CLASSIC], /There is nothing to change/)
    await refuses('models show acme', /does not name a model\. Write BRAND\/MODEL/)
    await says(
      ['models', 'allow-remodel', CLASSIC, 'acme-brand/acme-gadget'],
      /may now remodel to acme-brand\/acme-gadget/,
    )
    const shown = await program.json('models', 'show', CLASSIC)
    assert.deepEqual(
      [
        shown.registration,
        shown.taken_serial,
        shown.signer,
        shown.signer_fault,
        shown.remodels,
        shown.serial_authority,
      ],
      ['approval', 'reissue', `acme-brand ${brandKey}`, null, ['acme-brand/acme-gadget'], ['generic']],
    )
    assert.equal((await program.json('models list')).length, 2)
  })

  test('signing-keys add accepts an encrypted PEM, and disable names the models it stops', async () => {
    const pem = createPrivateKey(await readFile(world('keys/brand.pem')))
    const file = join(program.directory, 'encrypted.pem')
    const passphrase = 'correct horse'
    await writeFile(file, pem.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase }))
    await refuses(
      ['signing-keys', 'add', file],
      /is encrypted\. Pass --passphrase-stdin and its passphrase on standard input\.\n$/,
    )
    const add = ['signing-keys', 'add', file, '--passphrase-stdin']
    await program.refuses(add, /is the passphrase right\?/, 1, { input: 'wrong\n' })
    const disable = ['signing-keys', 'disable', '--', brandKey]
    await refuses(
      disable,
      /^ratafia: Without it, serials of acme-brand\/acme-classic, acme-brand\/acme-gadget could not be signed/,
    )
    await says(
      ['signing-keys', 'disable', '--force', '--', brandKey],
      /^Disabled the signing key .*\. Serials are no longer signed for/,
    )
    await refuses(disable, /is already disabled/)
    const faulty = await program.json('models', 'show', CLASSIC)
    assert.match(faulty.signer_fault, /^No key here can sign serials of acme-brand\/acme-classic\./)
    const { code, stdout, stderr } = await program.run(add, { input: `${passphrase}\n` })
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /signs serials for acme-brand\.\n$/)
    const [key] = await program.json('signing-keys list --account acme-brand')
    assert.deepEqual([key.key_id, key.state, key.fault], [brandKey, 'signs', null])
    const pgp = join(program.directory, 'key.asc')
    await writeFile(pgp, '-----BEGIN PGP PRIVATE KEY BLOCK-----\n')
    await refuses(['signing-keys', 'add', pgp], /key\.asc is not a readable PGP private key\./)
  })

  test('api-keys add prints the key once, list never does, and revoke works', async () => {
    const { code, stdout, stderr } = await program.run(['api-keys', 'add', CLASSIC, '--label', 'line 1'])
    assert.equal(code, 0)
    assert.match(stdout, /^ratafia_ak_[A-Za-z0-9_-]{43}\n$/)
    assert.match(stderr, /now requires an API key\. Save this one: it is not shown again\.\n$/)
    const made = await program.json(...line`api-keys add ${CLASSIC} --label x --uses 5 --expires 90d`)
    assert.deepEqual([made.use_limit, made.uses], [5, 0])
    const listed = await program.run(['api-keys', 'list', '--model', CLASSIC, '--json'])
    assert.ok(!listed.stdout.includes(stdout.trim()) && !listed.stdout.includes(made.key))
    await says(['api-keys', 'revoke', made.id], /still requires one/)
    await refuses(['api-keys', 'add', CLASSIC, '--label', 'x', '--expires', 'soon'], /is not a time/, 2)
    await refuses(
      ['api-keys', 'add', CLASSIC, '--label', 'x', '--uses', '0'],
      /is not a whole number of at least 1/,
      2,
    )
    await refuses('api-keys revoke nothing', /^ratafia: There is no API key nothing\./)
  })

  test('hardware-identities can be imported and listed', async () => {
    const file = vectorPath('extra-head/hardware-identity')
    assert.deepEqual(await program.json('hardware-identities', 'import', file), { imported: 1 })
    const [one] = await program.json('hardware-identities list')
    assert.deepEqual([one.issuer_id, one.hardware_id], ['acme-brand', 'HW-1'])
    await refuses(
      ['hardware-identities', 'import', world('account-generic')],
      /no hardware-identity assertion/,
    )
  })

  if (kind === 'sqlite')
    test('brands create --demo writes files that only their owner can read into the data directory', async () => {
      await refuses('brands create', /^ratafia: Pass an account id, .*; or --demo to create a brand /, 2)
      const at = (name: string) => join(program.directory, name)
      const first = await program.run(['brands', 'create', '--demo', '--name', 'one', '--output', at('one')])
      assert.match(first.stdout, /\n {2}ratafia accounts add NAME .* --role operator\n/)
      await program.json(...line`accounts add ada --email ada@b.c --name Ada --no-password --role operator`)
      const second = await program.run('brands create --demo')
      assert.deepEqual([second.code, /accounts add/.test(second.stdout)], [0, false], second.stdout)
      const directory = join(program.environment['RATAFIA_DATA_DIR'] ?? '', 'demo-brand')
      assert.match(second.stdout, /^Created the brand demo-brand and its model demo-device, /)
      assert.equal((await stat(directory)).mode & 0o777, 0o700)
      const files = await readdir(directory)
      assert.equal(files.length, 8)
      for (const file of files.filter((name) => name.endsWith('.pem'))) {
        assert.equal((await stat(join(directory, file))).mode & 0o777, 0o600)
      }
      const shown = await program.json('models show demo-brand/demo-device')
      assert.match(shown.signer, /^demo-brand /)
      await refuses(
        ['brands', 'create', '--demo', '--output', directory],
        /^ratafia: \S+\/demo-brand already exists\./,
      )
      await refuses(
        ['brands', 'create', '--demo', '--output', join(directory, files[0] ?? '', 'below/it')],
        /below\/it cannot be created: a part of its path is not a directory\. Check the path\. Pass a new directory with --output\./,
      )
      await refuses(
        ['brands', 'create', '--demo', '--output', `${directory}2`],
        /Pass another name with --name\.\n$/,
      )
      await assert.rejects(stat(`${directory}2`), { code: 'ENOENT' })
    })
})
