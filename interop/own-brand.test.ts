// Follows docs/own-brand.md to its end: snapd's own code trusts the root created there, registers with the settings
// of the page's hook, and opens a session.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { commandsOf } from '../tools/docs/page-commands.ts'
import { type Installation, newInstallation } from './support/installation.ts'
import { cleanEnvironment, clientPaths } from './support/paths.ts'
import { type Service, startService } from './support/service.ts'
import { type SnapdConfiguration, startDevice } from './support/snapd.ts'

const run = promisify(execFile)
const GADGET = 'acme-pi-gadget'

suite('a brand of your own', { timeout: 300_000 }, () => {
  let installation: Installation
  let service: Service
  let home: string
  let classic: string
  before(async () => {
    installation = await newInstallation('sqlite')
    service = await startService(installation)
    home = join(installation.directory, 'home')
    await mkdir(home)
    const { script } = commandsOf('docs/own-brand.md')
    const environment = cleanEnvironment({ ...installation.environment, HOME: home })
    const typed = script.replaceAll('http://127.0.0.1:8080', service.url)
    await run('bash', ['-euc', typed], { cwd: clientPaths.root, env: environment })
    const statement = {
      ...{ type: 'model', 'authority-id': 'acme', series: '16', 'brand-id': 'acme', model: 'acme-classic' },
      ...{ classic: 'true', architecture: 'amd64', gadget: GADGET },
    }
    classic = await installation.ratafia(['assertions', 'sign'], JSON.stringify(statement))
    const file = join(home, 'acme/model-acme-classic')
    await writeFile(file, classic)
    await installation.ratafia(['models', 'add', file, '--registration', 'auto'])
  })
  after(async () => {
    await service.stop()
    await installation.remove()
  })
  const made = (name: string): Promise<string> => readFile(join(home, 'acme', name), 'utf8')

  /**
   * Returns the factory state of the device. Its model has no `snaps`, because snapd keeps the key of a newer Core
   * device on a partition that the program does not have. The page's model is among the assertions, so snapd also
   * checks it.
   */
  async function image(): Promise<Pick<SnapdConfiguration, 'trusted' | 'assertions' | 'brand' | 'model'>> {
    const brand = await made('acme.assertions')
    return {
      trusted: assertionsIn(await made('acme-root.assertions')),
      assertions: [
        ...assertionsIn(brand),
        ...[await made('model-acme-pi'), await made('store-acme-store'), classic],
      ],
      ...{ brand: 'acme', model: 'acme-classic' },
    }
  }

  test("docs/own-brand.md: snapd with its root registers with its hook's settings, and opens a session", async () => {
    const settings = await settingsOfHook(join(installation.directory, 'gadget'), service.url)
    assert.equal(settings['registration.proposed-serial'], 'SN-0001')
    const directory = join(installation.directory, 'by-gadget')
    const gadget = {
      name: GADGET,
      url: settings['device-service.url'] ?? '',
      'proposed-serial': settings['registration.proposed-serial'] ?? '',
    }
    const device = await startDevice({ directory, ...(await image()), gadget }, service.url)
    try {
      const { change, device: is } = await device.run()
      assert.equal(change?.status, 'Done', change?.error)
      assert.equal(is?.serial, 'SN-0001')
      assert.match(is['serial-assertion'] ?? '', /^authority-id: acme$/m)
      const { error, device: then } = await device.session()
      assert.equal(error, undefined)
      assert.ok(then?.session)
    } finally {
      await device.stop()
    }
  })

  test('security: a snapd that does not trust the root of docs/own-brand.md refuses it as an assertion', async () => {
    const directory = join(installation.directory, 'stranger')
    const { trusted, assertions, ...names } = await image()
    const given = { directory, ...names, trusted: [], assertions: [...trusted, ...assertions] }
    await assert.rejects(startDevice(given, service.url), /circular assertions .* account \(acme-root\)/)
  })

  test('docs/own-brand.md: snapd also registers with proxy.store set by its store assertion', async () => {
    const directory = join(installation.directory, 'by-proxy')
    const configuration = {
      directory,
      ...(await image()),
      'proxy-store': 'acme-store',
      gadget: { name: GADGET },
    }
    const device = await startDevice(configuration, service.url)
    try {
      const { change } = await device.run()
      assert.equal(change?.status, 'Done', change?.error)
      assert.equal((await device.session()).error, undefined)
    } finally {
      await device.stop()
    }
  })
})

/** Returns the text of each assertion in a stream. Its assertions must have no body with a blank line. */
function assertionsIn(stream: string): readonly string[] {
  return stream.split(/\n\n(?=type: )/).map((text) => `${text.trimEnd()}\n`)
}

/** Runs the page's `prepare-device` with a `snapctl` that records its settings, and returns them. */
async function settingsOfHook(directory: string, url: string): Promise<Readonly<Record<string, string>>> {
  const [hook = ''] = commandsOf('docs/own-brand.md').files
  await mkdir(directory)
  const at = (name: string) => join(directory, name)
  await writeFile(at('product_serial'), 'SN-0001\n')
  await writeFile(at('snapctl'), `#!/bin/sh\nprintf '%s\\n' "$2" >>${at('settings')}\n`)
  await writeFile(
    at('prepare-device'),
    hook
      .replace('/sys/class/dmi/id/product_serial', at('product_serial'))
      .replace('http://127.0.0.1:8080', url),
  )
  for (const program of ['snapctl', 'prepare-device']) await chmod(at(program), 0o755)
  await run(at('prepare-device'), [], { env: { PATH: `${directory}${delimiter}${process.env['PATH']}` } })
  const lines = (await readFile(at('settings'), 'utf8')).trimEnd().split('\n')
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s)))
}
