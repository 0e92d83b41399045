// Follows docs/canonical-brand.md to its end with the command `snap`: a key from `snap create-key` signs serials
// here, and the service signs the same model as `snap sign`. A root of the test replaces Canonical's.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { commandsOf } from '../tools/docs/page-commands.ts'
import { ratafiaCommand } from '../tools/test/programs.ts'
import { type Installation, newInstallation } from './support/installation.ts'
import { cleanEnvironment, clientPaths } from './support/paths.ts'
import { type Service, startService } from './support/service.ts'
import { type SnapCommands, snapCommands } from './support/snap-store.ts'

const run = promisify(execFile)
const ROOT_KEY = join(clientPaths.root, 'packages/assertions/vectors/world/keys/root.pem')
const PASSPHRASE = 'correct horse'

suite('a brand of the Snap Store', { timeout: 300_000 }, () => {
  /** The brand's installation, and the store's. */
  const installations: Installation[] = []
  let service: Service
  let snap: SnapCommands
  let shown: string
  const page = commandsOf('docs/canonical-brand.md')
  const [, accountId = ''] = /^ACCOUNT_ID=(\w{32})$/m.exec(page.script) ?? []

  before(async () => {
    const own = await newInstallation('sqlite')
    const store = await newInstallation('sqlite')
    installations.push(own, store)
    const root = join(store.directory, 'root')
    await store.ratafia(['migrate'])
    await store.ratafia(['trust', 'create-root', 'snap-store', '--key', ROOT_KEY, '--output', root])
    service = await startService(own)
    await own.ratafia(['trust', 'add', root])
    snap = await commandsWith(store)
    const environment = {
      ...cleanEnvironment({ ...own.environment, ...snap.environment }),
      PATH: [snap.directory, cleanEnvironment()['PATH']].join(delimiter),
    }
    const typed = page.script.replaceAll('http://127.0.0.1:8080', service.url)
    const following = run('bash', ['-euc', typed], { cwd: clientPaths.root, env: environment })
    following.child.stdin?.end(`${PASSPHRASE}\n`)
    shown = (await following).stdout
  })
  after(async () => {
    await run('gpgconf', ['--homedir', join(snap.directory, '.snap/gnupg'), '--kill', 'gpg-agent'])
    await service.stop()
    for (const installation of installations) await installation.remove()
  })

  /**
   * Returns the command `snap`, whose `register-key` creates the brand's account in the store's installation, and
   * writes the files `account` and `account-key`.
   */
  async function commandsWith(store: Installation): Promise<SnapCommands> {
    const directory = join(store.directory, 'home')
    await mkdir(directory)
    const settings = Object.entries(store.environment).map(([name, value]) => `${name}='${value}'`)
    const both = join(directory, 'both')
    const create = [
      `printf %s '${PASSPHRASE}' | env ${settings.join(' ')} ${ratafiaCommand()
        .map((word) => `'${word}'`)
        .join(' ')}`,
      `brands create ${accountId} --root-key '${ROOT_KEY}' --signing-key gpg:"$2" --passphrase-stdin --output '${both}'`,
    ].join(' ')
    // The file has the account first, and then the account-key.
    const split = [
      `sed '/^type: account-key$/,$d' '${both}' | sed '$d' >'${directory}/account'`,
      `sed -n '/^type: account-key$/,$p' '${both}' >'${directory}/account-key'`,
    ].join(' && ')
    return snapCommands({ directory, passphrase: PASSPHRASE, registerKey: `${create} && ${split}` })
  }

  test('docs/canonical-brand.md leads to a registered device, with a serial signed by the key of snap create-key', async () => {
    assert.match(shown, new RegExp(`^Registered: ${accountId}/acme-pi/\\S+, signed by ${accountId}\\.$`, 'm'))
    assert.match(shown, /^Refreshed: /m)
    const { stdout } = await run(clientPaths.snap, ['keys'], { env: cleanEnvironment(snap.environment) })
    const [, keyId] = /^acme-serials +(\S+)$/m.exec(stdout) ?? []
    const [key] = JSON.parse((await installations[0]?.ratafia(['signing-keys', 'list', '--json'])) ?? '')
    assert.equal(key.key_id, keyId)
  })

  test('assertions sign writes the same assertion as snap sign, except for the signature', async () => {
    const at = (name: string) => join(snap.directory, 'acme', name)
    const bySnap = await readFile(at('model-acme-pi'), 'utf8')
    const [own] = installations
    const byUs = await own?.ratafia(['assertions', 'sign', at('acme-pi.json')])
    const content = (assertion = '') => assertion.slice(0, assertion.indexOf('\n\n'))
    assert.match(content(bySnap), /^type: model\n[\s\S]*\nsnaps:\n/)
    assert.equal(content(byUs), content(bySnap))
  })

  test('signing-keys add explains a missing passphrase and a missing key', async () => {
    const environment = snap.environment
    const refused = async (key: string) => {
      const words = ['signing-keys', 'add', key]
      const env = cleanEnvironment({ ...installations[0]?.environment, ...environment })
      const [file, ...first] = ratafiaCommand()
      return run(file, [...first, ...words], { env }).then(
        () => assert.fail('the key was accepted'),
        ({ code, stderr }: { code: number; stderr: string }) => `${code} ${stderr}`,
      )
    }
    assert.match(await refused('gpg:acme'), /^1 ratafia: There is no private key acme in \S+gnupg\./)
    await run('gpgconf', ['--homedir', environment['SNAP_GNUPG_HOME'] ?? '', '--kill', 'gpg-agent'])
    assert.match(await refused('gpg:acme-serials'), /^1 ratafia: .* --passphrase-stdin\.\n$/)
  })
})
