/** Tests that the example dashboard and alert rules name metrics of `/metrics`, and that the docs have every alert. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { scrape } from '../support/observed.ts'
import { testProgram } from '../support/program.ts'

const root = join(import.meta.dirname, '../../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const alerts = read('examples/prometheus/alerts.yml')
const alertTests = read('examples/prometheus/alerts.test.yml')
const dashboard = JSON.parse(read('examples/grafana/dashboard.json')) as {
  readonly panels: readonly { readonly id: number; readonly targets?: readonly { readonly expr: string }[] }[]
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] }
}

/** Metrics of Prometheus or the blackbox exporter, not ours. */
const OF_OTHERS = ['up', 'probe_ssl_earliest_cert_expiry']
/** Labels that a scrape adds, and those of histograms and workers. */
const OF_SCRAPES = ['job', 'instance', 'le', 'worker']

const SOURCES: readonly (readonly [name: string, texts: readonly string[]])[] = [
  ['alerts.yml', [alerts.replace(/^\s*(#|summary:).*$/gm, '')]],
  [
    'dashboard.json',
    [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...dashboard.templating.list.map(({ query }) => (typeof query === 'string' ? '' : query.query)),
    ],
  ],
]

/** Returns our metrics by prefix, and the names before selectors. */
const namesIn = (text: string): readonly string[] => [
  ...new Set([
    ...[...text.matchAll(/\b(?:ratafia|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name),
    ...[...text.matchAll(/\b([a-z_:][a-z0-9_:]*)\{/g)].map(([, name = '']) => name),
  ]),
]
const bare = (name: string): string => name.replace(/_(bucket|sum|count)$/, '')

describe('the names of metrics', () => {
  const program = testProgram()
  let served: ReadonlySet<string>
  before(async () => {
    const service = await program.start({ RATAFIA_WORKERS: '2', RATAFIA_METRICS_PORT: '0' })
    const [, url] = /"url":"([^"]+)","msg":"serving metrics"/.exec(service.stderr()) ?? []
    await fetch(service.baseUrl)
    const text = await (await fetch(url ?? '')).text()
    served = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name))
    assert.ok((await scrape(url)).size > 50)
    await service.end('SIGTERM')
  })

  for (const [source, texts] of SOURCES) {
    test(`every metric in ${source} is served`, () => {
      const names = texts.flatMap(namesIn)
      assert.ok(names.length > 15)
      for (const name of names.filter((one) => !OF_OTHERS.includes(one))) {
        assert.ok(
          served.has(name) || served.has(bare(name)),
          `${source} names ${name}, which /metrics does not have`,
        )
      }
    })

    test(`every label that ${source} selects by belongs to its metric`, async () => {
      const { registry } = createMetrics({ release: '1', ofProcess: false })
      const known = new Map<string, readonly string[]>()
      for (const metric of registry.getMetricsAsArray()) {
        const { labelNames = [] } = metric as { labelNames?: readonly string[] }
        known.set(metric.name, labelNames)
      }
      for (const text of texts) {
        for (const [, name = '', selector = ''] of text.matchAll(/\b(ratafia_[a-z_]+)\{([^}]*)\}/g)) {
          for (const [, label = ''] of selector.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)) {
            const labels = [...(known.get(name) ?? known.get(bare(name)) ?? []), ...OF_SCRAPES]
            assert.ok(labels.includes(label), `${source}: ${name} has no label ${label}`)
          }
        }
      }
    })
  }

  test('docs/operations/observe.md has every metric of ours in its table, and no other', () => {
    const page = read('docs/operations/observe.md')
    const documented = [...page.matchAll(/^\| `(ratafia_[a-z_]+)` \|/gm)].map(([, name]) => name)
    assert.deepEqual(documented.sort(), [...served].filter((name) => name.startsWith('ratafia_')).sort())
  })
})

const alertNames = [...alerts.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name)

// interop/prometheus.test.ts runs them with promtool.
for (const name of alertNames) {
  test(`alerts.test.yml has ${name} fire, and be silent`, () => {
    assert.match(alertTests, new RegExp(`^ +alertname: ${name}\n +exp_alerts:\n +- exp_labels: `, 'm'))
    assert.match(alertTests, new RegExp(`^ +- \\{ eval_time: \\d+m, alertname: ${name} \\}$`, 'm'))
  })
}

test('docs/operations/troubleshoot.md has every alert in its table, and no other', () => {
  const documented = [...read('docs/operations/troubleshoot.md').matchAll(/^\| `(Ratafia\w+)` \|/gm)].map(
    ([, name]) => name,
  )
  assert.ok(alertNames.length > 15)
  assert.deepEqual(documented.sort(), [...alertNames].sort())
})

test('every panel in dashboard.json has its own id', () => {
  const ids = dashboard.panels.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
})
