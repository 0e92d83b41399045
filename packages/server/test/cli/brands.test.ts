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
  const { json, says, refuses, refusesEach } = program
  before(() => says('migrate'))

  test('Canonical is a built-in trust root, and another root can be added', async () => {
    await refusesEach`
      trust remove canonical | 1 | ^ratafia: The trust root canonical is built in and cannot be removed\.
      trust add ${world('account-test-root')} | 1 | is missing\. Add both\.\n$
      trust add nothing | 1 | ^ratafia: nothing cannot be read: there is no such file or directory\. Check the path\.\n$`
    const added = await json(`trust add ${world('account-test-root')} ${world('account-key-test-root')}`)
    assert.deepEqual(added, [{ account_id: 'test-root', key_ids: [testKey('root').publicKey.id] }])
    const roots = await json('trust list')
    assert.deepEqual(
      roots.map((root: { account_id: string; origin: string }) => `${root.account_id}, ${root.origin}`),
      ['canonical, built in', 'test-root, added'],
    )
  })

  test('brands add refuses a key of another account, then brands can be added, listed and shown', async () => {
    await says('brands list', /^No brands yet\./)
    await refuses(
      addAcme(world('keys/device.pem')),
      /Pass the key and the assertion that belong together\.\n$/,
    )
    const added = await json(...addAcme())
    assert.deepEqual(added, { account_id: 'acme-brand', display_name: 'Acme-brand', key_id: brandKey })
    await says('brands list', /^ACCOUNT ID +DISPLAY NAME +ADDED AT\nacme-brand +Acme-brand /)
    const shown = await json('brands show acme-brand')
    assert.deepEqual([shown.account_id, shown.signing_keys[0].state], ['acme-brand', 'signs'])
    await refusesEach`
      brands show unknown | 1 | ^ratafia: There is no brand unknown\.
      trust remove test-root | 1 | ^ratafia: acme-brand is trusted only through test-root`
  })

  test('models add requires --registration, and models have policies and remodels', async () => {
    const [classic, gadget] = [world('model-acme-classic'), world('model-acme-gadget')]
    const warned = async (words: string, stdout: string) => {
      const said = await program.run(words)
      assert.deepEqual([said.code, said.stdout], [0, stdout])
      assert.match(said.stderr, /^Warning: Anyone who has the model assertion gets a serial/)
    }
    await warned(`models add ${classic} --registration auto`, 'Added the model acme-brand/acme-classic.\n')
    const policy = '--registration allow-list --serial-template AC-{number:8} --clones quarantine'
    const added = await json(`models add ${gadget} ${policy}`)
    assert.deepEqual(
      [added.registration, added.proposed_serial, added.taken_serial, added.serials, added.clones],
      ['allow-list', 'optional', 'refuse', 'AC-{number:8}', 'quarantine'],
    )
    await warned(`models update ${classic}`, 'Updated the assertion of acme-brand/acme-classic.\n')
    await says(
      `models set-policy ${CLASSIC} --registration approval --taken-serial reissue`,
      'Changed the policy of acme-brand/acme-classic.\n',
    )
    await refusesEach`
      models add ${classic} | 2 | Required option '--registration
      models add ${classic} --registration maybe | 2 | Allowed choices are auto
      models update ${classic} --json x | 2 | Too many arguments
      models set-policy ${CLASSIC} | 1 | There is nothing to change
      models show acme | 1 | does not name a model\. Write BRAND/MODEL`
    await says(
      `models allow-remodel ${CLASSIC} acme-brand/acme-gadget`,
      /may now remodel to acme-brand\/acme-gadget/,
    )
    const { registration, ...shown } = await json(`models show ${CLASSIC}`)
    assert.deepEqual([registration, shown.taken_serial], ['approval', 'reissue'])
    assert.deepEqual([shown.signer, shown.signer_fault], [`acme-brand ${brandKey}`, null])
    assert.deepEqual([shown.remodels, shown.serial_authority], [['acme-brand/acme-gadget'], ['generic']])
    assert.equal((await json('models list')).length, 2)
  })

  test('signing-keys add accepts an encrypted PEM, and disable names the models it stops', async () => {
    const pem = createPrivateKey(await readFile(world('keys/brand.pem')))
    const [file, pgp] = ['encrypted.pem', 'key.asc'].map((name) => join(program.directory, name)) as [
      string,
      string,
    ]
    const passphrase = 'correct horse'
    await writeFile(file, pem.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase }))
    await writeFile(pgp, '-----BEGIN PGP PRIVATE KEY BLOCK-----\n')
    const add = `signing-keys add ${file} --passphrase-stdin`
    await refuses(add, /is the passphrase right\?/, 1, { input: 'wrong\n' })
    const disable = `signing-keys disable -- ${brandKey}`
    await refusesEach`
      signing-keys add ${file} | 1 | is encrypted\. Pass --passphrase-stdin and its passphrase on standard input\.\n$
      signing-keys add ${pgp} | 1 | key\.asc is not a readable PGP private key\.
      ${disable} | 1 | ^ratafia: Without it, serials of acme-brand/acme-classic, acme-brand/acme-gadget could not be signed`
    await says(
      `signing-keys disable --force -- ${brandKey}`,
      /^Disabled the signing key .*\. Serials are no longer signed for/,
    )
    await refuses(disable, /is already disabled/)
    const { signer_fault } = await json(`models show ${CLASSIC}`)
    assert.match(signer_fault, /^No key here can sign serials of acme-brand\/acme-classic\./)
    await says(add, /signs serials for acme-brand\.\n$/, { input: `${passphrase}\n` })
    const [key] = await json('signing-keys list --account acme-brand')
    assert.deepEqual([key.key_id, key.state, key.fault], [brandKey, 'signs', null])
  })

  test('api-keys add prints the key once, list never does, and revoke works', async () => {
    const { code, stdout, stderr } = await program.run(line`api-keys add ${CLASSIC} --label 'line 1'`)
    assert.equal(code, 0)
    assert.match(stdout, /^ratafia_ak_[A-Za-z0-9_-]{43}\n$/)
    assert.match(stderr, /now requires an API key\. Save this one: it is not shown again\.\n$/)
    const made = await json(`api-keys add ${CLASSIC} --label x --uses 5 --expires 90d`)
    assert.deepEqual([made.use_limit, made.uses], [5, 0])
    const listed = await says(`api-keys list --model ${CLASSIC} --json`)
    assert.ok(!listed.includes(stdout.trim()) && !listed.includes(made.key))
    await says(`api-keys revoke ${made.id}`, /still requires one/)
    await refusesEach`
      api-keys add ${CLASSIC} --label x --expires soon | 2 | is not a time
      api-keys add ${CLASSIC} --label x --uses 0 | 2 | is not a whole number of at least 1
      api-keys revoke nothing | 1 | ^ratafia: There is no API key nothing\.`
  })

  test('hardware-identities can be imported and listed', async () => {
    const imported = await json(`hardware-identities import ${vectorPath('extra-head/hardware-identity')}`)
    assert.deepEqual(imported, { imported: 1 })
    const [one] = await json('hardware-identities list')
    assert.deepEqual([one.issuer_id, one.hardware_id], ['acme-brand', 'HW-1'])
    await refuses(`hardware-identities import ${world('account-generic')}`, /no hardware-identity assertion/)
  })

  if (kind === 'sqlite')
    test('brands create --demo writes files that only their owner can read into the data directory', async () => {
      const demo = 'brands create --demo'
      await says(
        `${demo} --name one --output ${join(program.directory, 'one')}`,
        /\n {2}ratafia accounts add NAME .* --role operator\n/,
      )
      await program.addAccount('ada', '--role operator')
      const second = await says(demo, /^Created the brand demo-brand and its model demo-device, /)
      assert.doesNotMatch(second, /accounts add/)
      const directory = join(program.environment['RATAFIA_DATA_DIR'] ?? '', 'demo-brand')
      assert.equal((await stat(directory)).mode & 0o777, 0o700)
      const files = await readdir(directory)
      assert.equal(files.length, 8)
      for (const file of files.filter((name) => name.endsWith('.pem'))) {
        assert.equal((await stat(join(directory, file))).mode & 0o777, 0o600)
      }
      assert.match((await json('models show demo-brand/demo-device')).signer, /^demo-brand /)
      await refusesEach`
        brands create | 2 | ^ratafia: Pass an account id, .*; or --demo to create a brand 
        ${demo} --output ${directory} | 1 | ^ratafia: \S+/demo-brand already exists\.
        ${demo} --output ${join(directory, files[0] ?? '', 'below/it')} | 1 | below/it cannot be created: a part of its path is not a directory\. Check the path\. Pass a new directory with --output\.
        ${demo} --output ${directory}2 | 1 | Pass another name with --name\.\n$`
      await assert.rejects(stat(`${directory}2`), { code: 'ENOENT' })
    })
})
