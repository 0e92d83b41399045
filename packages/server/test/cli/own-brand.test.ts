/** An operator creates and signs their own trust root, brand, keys and model, for their own devices. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { decode, decodeStream, privateKeyFromPem, trustRoots, verifyTrust } from '@ratafia/assertions'
import type { Finding } from '../../src/status/read-status.ts'
import { testKey, vectorPath } from '../support/brands.ts'
import { casesIn } from '../support/cases.ts'
import { oneDatabase } from '../support/databases.ts'
import { runHere, testProgram } from '../support/program.ts'
import { find, secretsOf } from '../support/secret-search.ts'

test('a new private key is encrypted and readable only by its owner, with a warning inside Git', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-key-'))
  try {
    await mkdir(join(directory, '.git'))
    await mkdir(join(directory, 'keys'))
    const file = join(directory, 'keys/root.pem')
    const made = await generate([file, '--json', '--passphrase-stdin'], 'correct horse\n')
    assert.equal(made.code, 0, made.stderr)
    assert.match(made.stderr, /^ratafia: warning: \S+ is in the Git work tree /)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const pem = await readFile(file, 'utf8')
    assert.match(pem, /^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/)
    const { publicKey } = privateKeyFromPem(pem, 'correct horse')
    assert.deepEqual(JSON.parse(made.stdout), { key_id: publicKey.id, file })
    assert.equal(publicKey.bits, 4096)

    const again = await generate([file])
    assert.deepEqual([again.code, await readFile(file, 'utf8')], [1, pem])
    assert.match(again.stderr, /already exists and is not overwritten\. No key was created\.\n$/)
    const empty = await generate([join(directory, 'other.pem'), '--passphrase-stdin'], '\n')
    assert.deepEqual([empty.code, await readdir(join(directory, 'keys'))], [2, ['root.pem']])
  } finally {
    await rm(directory, { recursive: true })
  }
})

/** Generates a key, which needs no installation. */
const generate = (words: readonly string[], input = '') =>
  runHere(['signing-keys', 'generate', ...words], { input })

const keyFile = (name: string) => vectorPath(`world/keys/${name}.pem`)
const idOf = (name: string) => testKey(name).publicKey.id
const MODEL = {
  ...{ type: 'model', 'authority-id': 'acme', series: '16', 'brand-id': 'acme', model: 'acme-pi' },
  ...{ architecture: 'arm64', base: 'core24', grade: 'signed' },
  snaps: [
    { name: 'pi', id: 'YbGa9O3dAXl88YLI6Y1bGG74pwBxZyKg', type: 'gadget' },
    { name: 'pi-kernel', id: 'jeIuP6tfFrvAdic8DMWqHmoaoukAPNbJ', type: 'kernel' },
  ],
}

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const { json, says, refuses, refusesEach } = program
  before(() => says('migrate'))

  const at = (name: string) => join(program.directory, name)
  const certify = (key: string, options: string) =>
    `signing-keys certify acme --key ${keyFile(key)} --root-key ${keyFile('root')} ${options}`
  const stored = async (name: string) => decodeStream(await readFile(at(name)))

  test('trust create-root adds a trust root, and writes its assertions to a file for devices', async () => {
    const create = `trust create-root acme-root --key ${keyFile('root')} --output`
    await refusesEach`
      ${create} ${keyFile('root')} | 1 | root\.pem already exists and is not overwritten
      ${create.replace('acme-root', "'Acme Root'")} ${at('no')} | 1 | ^ratafia: The account Acme Root cannot be created: .*account-id
      ${create.replace(keyFile('root'), keyFile('small1024'))} ${at('no')} | 1 | 1024 bits`
    await assert.rejects(stat(at('no')), { code: 'ENOENT' }, 'a refusal left a file')
    const made = await json(`${create} ${at('root')} --until 3650d`)
    assert.deepEqual(made, { account_id: 'acme-root', key_id: idOf('root'), file: at('root') })
    assert.deepEqual(
      (await stored('root')).map(({ type, authorityId }) => `${type} ${authorityId}`),
      ['account acme-root', 'account-key acme-root'],
    )
    const [, root] = await json('trust list')
    assert.deepEqual([root.account_id, root.key_id, root.origin], ['acme-root', idOf('root'), 'added'])
    await refuses(`${create} ${at('no')}`, /There is already an account acme-root\./)
  })

  test('security: the database never contains the private key of a root', async () => {
    await says(`backup ${at('backup')}`)
    const bytes = await readFile(at('backup'))
    const content = bytes[0] === 0x1f ? gunzipSync(bytes) : bytes
    const { d = '' } = testKey('root').keyObject.export({ format: 'jwk' })
    const secrets = secretsOf('the root key', Buffer.from(d, 'base64url'))
    assert.deepEqual(find(secrets, { content }), [])
    assert.ok(content.includes('acme-root'), 'the backup does not contain the root')
  })

  test("brands create requires a root's key, and creates and seals the brand's own key", async () => {
    const create = `brands create acme --output ${at('acme')} --root-key`
    const root = keyFile('root')
    await refusesEach`
      brands create acme | 2 | ^ratafia: Pass an account id, --root-key and --output;
      ${create} ${keyFile('unknown')} | 1 | belongs to no trust root of this service\. .*create-root
      ${create} ${root} --signing-key ${root} | 1 | is already a key of acme-root\. Give each account a key of its own\.
      ${create} ${root} --demo | 2 | ^ratafia: --demo creates .*\. Leave out the account id
      ${create} ${root} --name Acme | 2 | ^ratafia: --name works only with --demo\.\n$
      brands create --demo --until 1d | 2 | all keys itself\. Leave out --until\.\n$`
    const made = await json(`${create} ${root} --display-name 'Acme Ltd'`)
    assert.deepEqual(
      [made.account_id, made.display_name, made.root, made.file],
      ['acme', 'Acme Ltd', 'acme-root', at('acme')],
    )
    const [account, accountKey] = await stored('acme')
    assert.equal(account?.authorityId, 'acme-root')
    // Without constraints the assertion has format 0, which every snapd knows.
    assert.deepEqual([accountKey?.format, accountKey?.primaryKey], [0, [made.key_id]])
    const [key] = await json('signing-keys list')
    assert.deepEqual([key.account_id, key.name, key.state], ['acme', 'serials', 'signs'])
    await refuses(
      `brands create acme --output ${at('no')} --root-key ${root}`,
      /There is already an account acme\. `ratafia signing-keys certify`/,
    )
  })

  test("assertions sign signs a model like snap sign, with the service's key", async () => {
    const input = JSON.stringify(MODEL)
    const model = decode(Buffer.from(await says('assertions sign', undefined, { input })))
    assert.deepEqual(model.primaryKey, ['16', 'acme', 'acme-pi'])
    const [root, brand] = [await stored('root'), await stored('acme')]
    const context = {
      roots: trustRoots(root),
      now: new Date(),
      find: async (type: string, key: readonly string[]) =>
        brand.find((one) => one.type === type && one.primaryKey.join() === key.join()),
    }
    await verifyTrust(model, context)
    await writeFile(at('model.json'), JSON.stringify({ ...MODEL, timestamp: '2030-01-01T00:00:00Z' }))
    await says(`assertions sign ${at('model.json')}`, /\ntimestamp: 2030-01-01T00:00:00Z\n/)
    const file = at('acme-pi.model')
    await says(`assertions sign --output ${file}`, `The signed assertion is in ${file}.\n`, { input })
    await says(`models add ${file} --registration approval`, /^Added the model acme\/acme-pi\./)
    assert.match((await json('models show acme/acme-pi')).signer, /^acme /)
  })

  /** A title, the change to the model as JSON or a key of OTHERWISE, and the message. */
  const REFUSED = casesIn(String.raw`
    a number | {"grade":5} | "grade" in Standard input is 5\. .* write "5"\.
    a boolean in a list | {"snaps":[{"classic":true}]} | "classic" of item 1 of "snaps" .* "true"
    no type | noType | has no known "type"
    an unknown type | {"type":"constructor"} | has no known "type"
    a list | list | is not a JSON object of headers
    an invalid name of a header | {"Bad Name":"x"} | cannot be signed: 
    two lines in a name | {"a: b\nc":"x"} | cannot be signed: 
    another brand | {"brand-id":"other"} | only the brand signs its models
    an account without a key here | {"authority-id":"other","brand-id":"other"} | no key that signs this model assertion for other\. Pass a private key
    a kernel that is not listed | noKernel | cannot be signed: model: header "snaps" has no snap of type kernel\.\n$
    a grade that snapd does not know | {"grade":"Signed"} | header "grade" is "Signed": it must be 
    a channel without a track | noTrack | header "snaps", snap "pi": "default-channel" is "edge": it needs a track\.\n$
    half a surrogate pair | {"store":"\ud800"} | half of a surrogate pair
    a body that is not text | {"body":{}} | "body" in Standard input is not text
    an account-key | accountKey | cannot be signed: 
    a store, which a root signs | store | has no key that signs this store assertion for acme\. The key [\w-]{64} does not: .*--key\.\n$
    an invalid time | {"timestamp":"now"} | cannot be signed: .*timestamp`)
  const OTHERWISE: Readonly<Record<string, unknown>> = {
    noType: { ...MODEL, type: undefined },
    list: [MODEL],
    noKernel: { ...MODEL, snaps: MODEL.snaps.slice(0, 1) },
    noTrack: { ...MODEL, snaps: MODEL.snaps.map((snap) => ({ ...snap, 'default-channel': 'edge' })) },
    accountKey: { type: 'account-key', 'authority-id': 'acme' },
    store: { type: 'store', 'authority-id': 'acme', store: 's', 'operator-id': 'acme' },
  }
  for (const [what, changed = '', message = ''] of REFUSED) {
    const input = JSON.stringify(OTHERWISE[changed] ?? { ...MODEL, ...JSON.parse(changed) })
    test(`assertions sign refuses ${what}`, async () => {
      await refuses('assertions sign', new RegExp(message), 1, { input })
    })
  }

  const signingKeys = async () => {
    const { stdout } = await program.run('status --json')
    const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
    return findings.find(({ part }) => part === 'signing_keys') ?? assert.fail(stdout)
  }

  test('security: a stored key never signs a serial on demand, and signs nothing once disabled', async () => {
    const serial = { ...MODEL, type: 'serial', serial: '1' }
    await refuses('assertions sign', /^ratafia: Serials are signed when a device registers/, 1, {
      input: JSON.stringify(serial),
    })
    const [{ key_id: id }] = await json('signing-keys list')
    await says(`signing-keys disable --force -- ${id}`)
    await refuses('assertions sign', /no key that signs this model assertion for acme\. .* --key\.\n$/, 1, {
      input: JSON.stringify(MODEL),
    })
    const { state, says: said } = await signingKeys()
    assert.deepEqual(
      [state, said],
      ['attention', 'No key of acme can sign. `ratafia signing-keys list` shows the reasons.'],
    )
  })

  test('another key of the brand can be certified by the root, added, and certified again', async () => {
    await refusesEach`
      ${certify('brand', '--name serials')} | 1 | has the name serials\. Pass another name
      ${certify('brand', '--name next --allow coffee')} | 1 | "coffee" is not a known type
      ${certify('brand', '--name next').replace('acme', 'unknown')} | 1 | There is no account unknown\.
      ${certify('small1024', '--name next')} | 1 | The key cannot be certified: key \S+ has 1024 bits, and the policy accepts 4096 to 16384\.\n$
      ${certify('root', '--name next')} | 1 | belongs to acme-root\. Give another key\.`
    const renewed = async (until: string) => {
      await says(
        certify('brand', `--name next --until ${until} --output ${at(until)}`),
        `The signed assertion is in ${at(until)}.\n`,
      )
      await says(`signing-keys add ${keyFile('brand')} --account-key ${at(until)}`)
      return (await signingKeys()).says
    }
    assert.equal(await renewed('30d'), 'The last key of acme expires in 29 days. Add another.')
    assert.match((await json('models show acme/acme-pi')).signer, new RegExp(idOf('brand')))
    assert.equal(await renewed('36h'), 'The last key of acme expires in one day. Add another.')
    assert.equal(await renewed('2h'), 'The last key of acme expires in less than a day. Add another.')
    assert.equal(await renewed('300d'), '1 can sign serials.')
    assert.deepEqual(
      [...(await stored('30d')), ...(await stored('300d'))].map(({ revision }) => revision),
      [0, 3],
    )
    assert.equal((await signingKeys()).state, 'ok')
  })

  test('a key certified only for models cannot be added, but signs models from its file', async () => {
    const certified = await says(
      certify('device', '--name models --allow model'),
      /\nformat: 1\n[\s\S]*\nconstraints:\n {2}-\n {4}headers:\n {6}type: model\n/,
    )
    await writeFile(at('models'), certified)
    await refuses(
      `signing-keys add ${keyFile('device')} --account-key ${at('models')}`,
      /its constraints allow no serial assertion/,
    )
    const input = JSON.stringify({ ...MODEL, model: 'acme-next' })
    const signed = await says(`assertions sign --key ${keyFile('device')}`, undefined, { input })
    await writeFile(at('acme-next.model'), `${signed}\n${certified}`)
    await says(`models add ${at('acme-next.model')} --registration approval`)
  })
})
