// Prometheus's own promtool checks examples/prometheus, the expressions of examples/grafana, and the metrics of a
// running service.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../tools/test/free-port.ts'
import { newInstallation } from './support/installation.ts'
import { clientPaths } from './support/paths.ts'
import { startService } from './support/service.ts'

const examples = join(clientPaths.root, 'examples')

/** Runs promtool. Rejects with its output unless it exits with 0. */
const promtool = (...words: readonly string[]) =>
  promisify(execFile)(clientPaths.promtool, words, { cwd: join(examples, 'prometheus') })

suite('promtool', { timeout: 120_000 }, () => {
  let directory: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-promtool-'))
  })
  after(() => rm(directory, { recursive: true }))

  test('examples/prometheus/prometheus.yml and its rules are a valid configuration', async () => {
    const { stdout } = await promtool('check', 'config', 'prometheus.yml')
    assert.match(stdout, /SUCCESS: 27 rules found/)
  })

  test('every alert fires when it should, and none fires in a quiet installation', async () => {
    const { stdout } = await promtool('test', 'rules', 'alerts.test.yml')
    assert.match(stdout, /SUCCESS/)
  })

  test('every expression of examples/grafana/dashboard.json is valid', async () => {
    const rules = expressions().map((expr, at) => ({ record: `panel:${at}`, expr }))
    assert.ok(rules.length > 30)
    // JSON is valid YAML.
    const file = join(directory, 'dashboard.yml')
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    const { stdout } = await promtool('check', 'rules', file)
    assert.match(stdout, new RegExp(`SUCCESS: ${rules.length} rules found`))
  })

  for (const workers of ['1', '2']) {
    test(`Prometheus can read the metrics of ${workers} ${workers === '1' ? 'process' : 'workers'}`, async () => {
      const installation = await newInstallation('sqlite')
      const port = await freePort()
      Object.assign(installation.environment, {
        RATAFIA_WORKERS: workers,
        RATAFIA_METRICS_PORT: String(port),
      })
      const service = await startService(installation)
      for (const path of ['/', '/nothing', '/api/v2/tokens/whoami']) await fetch(`${service.url}${path}`)
      const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      await service.stop()
      await installation.remove()
      const { stdout, stderr } = spawnSync(clientPaths.promtool, ['check', 'metrics'], {
        input: page,
        encoding: 'utf8',
      })
      // The names of the default metrics are prom-client's choice.
      const complaints = `${stdout}${stderr}`
        .split('\n')
        .filter((line) => line !== '' && !/^nodejs_\w+_total /.test(line))
      assert.deepEqual(complaints, [])
    })
  }
})

/** Returns the expressions of all panels, with Grafana's variables filled in. */
function expressions(): readonly string[] {
  const { panels } = JSON.parse(readFileSync(join(examples, 'grafana/dashboard.json'), 'utf8')) as {
    readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[]
  }
  return panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*').replaceAll('$job', 'ratafia'),
    ),
  )
}
