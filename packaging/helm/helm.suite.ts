// npm run test:helm. Renders the Helm chart with the values in ratafia/ci, and validates the objects against the schemas
// of Kubernetes.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { VARIABLES } from '../../packages/server/src/config/variables.ts'
import { RELEASE } from '../../packages/server/src/start/release/release.ts'

const CHART = join(import.meta.dirname, 'ratafia')
const HELM = join(import.meta.dirname, '../.bin/helm')
const VALIDATE = join(import.meta.dirname, '../.venv/bin/kubernetes-validate')
/** The oldest version that the chart accepts, and the newest that the validator knows. */
const KUBERNETES = ['1.27', '1.37']
const VALUES = ['minimal', 'full', 'job']

const valuesFile = (name: string) => join(CHART, `ci/${name}-values.yaml`)

/** Returns the text of all objects. */
function render(name: string, ...settings: readonly string[]): string {
  const words = ['template', 'store', CHART, '--kube-version=1.37', `--values=${valuesFile(name)}`]
  return execFileSync(HELM, [...words, ...settings.map((setting) => `--set=${setting}`)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Returns the objects of a kind, as YAML describes them. */
// biome-ignore lint/suspicious/noExplicitAny: the schemas of Kubernetes are checked by another test
function objects(text: string, kind: string): any[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((object) => object?.kind === kind)
}

test('the chart has the version of the release', () => {
  const { version, appVersion } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))
  assert.deepEqual([version, appVersion], [RELEASE, RELEASE])
})

for (const name of VALUES) {
  test(`with the ${name} values, the chart passes Helm's checks and Kubernetes' schemas`, () => {
    const lint = ['lint', '--strict', '--quiet', CHART, `--values=${valuesFile(name)}`]
    const { status, stdout, stderr } = spawnSync(HELM, lint, { encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
    for (const version of KUBERNETES) {
      // A ServiceMonitor is not an object of Kubernetes itself.
      const known = parseAllDocuments(render(name)).filter(
        (document) => document.get('kind') !== 'ServiceMonitor',
      )
      const checked = spawnSync(VALIDATE, ['--strict', '--quiet', '--kubernetes-version', version, '-'], {
        input: known.map((document) => `---\n${document.toString({ directives: false })}`).join(''),
        encoding: 'utf8',
      })
      assert.equal(checked.status, 0, checked.stdout + checked.stderr)
      assert.equal(checked.stderr, '')
    }
  })
}

test('pods are restricted, have probes, and get secrets only as files of an existing Secret', () => {
  const text = render('minimal')
  const [{ spec }] = objects(text, 'Deployment')
  const pod = spec.template.spec
  const [container] = pod.containers
  assert.equal(pod.enableServiceLinks, false)
  assert.equal(pod.automountServiceAccountToken, false)
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  const { startupProbe, readinessProbe, livenessProbe } = container
  assert.equal(startupProbe.periodSeconds * startupProbe.failureThreshold, 600)
  assert.equal(readinessProbe.httpGet.path, '/health/ready')
  assert.equal(livenessProbe.httpGet.path, '/health/live')
  assert.deepEqual(objects(text, 'Secret'), [])
  assert.deepEqual(
    pod.volumes.find(({ name }: { name: string }) => name === 'secrets').secret.secretName,
    'ratafia',
  )
  const [{ spec: budget }] = objects(text, 'PodDisruptionBudget')
  assert.equal(budget.maxUnavailable, 1)
  assert.equal(objects(text, 'NetworkPolicy').length, 1)
  assert.deepEqual(objects(text, 'ServiceMonitor'), [])
  assert.equal(objects(render('full'), 'ServiceMonitor').length, 1)
})

test('every variable of the pods is one that the program knows', () => {
  const names = ['full', 'job'].flatMap((name) =>
    [...objects(render(name), 'Deployment'), ...objects(render(name), 'Job')].flatMap(({ spec }) =>
      spec.template.spec.containers[0].env.map((variable: { name: string }) => variable.name),
    ),
  )
  assert.deepEqual(
    names.filter((name) => !(name in VARIABLES)),
    [],
  )
})

test('a Job migrates only in its mode, with its own Secret, and has another name if it changes', () => {
  assert.deepEqual(objects(render('minimal'), 'Job'), [])
  const [job] = objects(render('job'), 'Job')
  const { containers, volumes } = job.spec.template.spec
  assert.deepEqual(containers[0].args, ['migrate'])
  assert.equal(volumes[1].secret.secretName, 'ratafia-schema-owner')
  const name = (...settings: readonly string[]) => objects(render('job', ...settings), 'Job')[0].metadata.name
  assert.equal(name('replicas=3'), job.metadata.name)
  assert.notEqual(name('image.tag=0.1.1'), job.metadata.name)
  assert.notEqual(name('resources.limits.memory=2Gi'), job.metadata.name)
})

const REFUSED: readonly (readonly [setting: string, message: RegExp])[] = [
  ['replica=3', /replica/],
  ['image.tags=0.1.0', /tags/],
  ['image.tag=latest', /tag/],
  ['image.repository=', /repository/],
  ['replicas=0', /replicas/],
  ['baseUrl=', /baseUrl/],
  ['existingSecret=', /existingSecret/],
  ['settings.RATAFIA_SECRET_KEY=x', /RATAFIA_SECRET_KEY/],
  ['migrate.mode=job', /existingSecret/],
  ['metrics.serviceMonitor.enabled=true', /enabled/],
]
for (const [setting, message] of REFUSED) {
  test(`refuses ${setting}`, () => {
    assert.throws(
      () => render('minimal', setting),
      (error: Error & { stderr: string }) => {
        assert.match(error.stderr, /values don't meet the specifications of the schema/)
        assert.match(error.stderr, message)
        return true
      },
    )
  })
}
