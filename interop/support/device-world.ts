/**
 * A running service with a brand and its models, and devices of these models that run snapd. The root, the brand and
 * their keys are from the assertion vectors; snapd's own code signs the models and the store assertion for each suite.
 */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite } from 'node:test'
import { type Front, startFront } from './front.ts'
import { DATABASES, type DatabaseKind, type Installation, newInstallation } from './installation.ts'
import { clientPaths } from './paths.ts'
import { type Service, startService } from './service.ts'
import {
  type GadgetConfiguration,
  type Signing,
  type SnapdDevice,
  signedBySnapd,
  startDevice,
} from './snapd.ts'

export const AUTH = '/api/v1/snaps/auth'
export const BRAND = 'acme-brand'
const ROOT = 'test-root'
const OPERATOR = 'acme-operator'
/** The key that signed the models before the brand had the key that the service uses. */
const OLDER_KEY = 'unknown'
const PROXY_STORE = 'acme-proxy'

const CORE = { architecture: 'amd64', gadget: 'gadget', kernel: 'pc-kernel', base: 'core18' }

/** The models, whose purpose is explained by the tests that use them. The registration policy is `auto` by default. */
const MODELS = {
  'acme-pc': {},
  'acme-core': CORE,
  'acme-core-next': CORE,
  'acme-watched': {},
  'acme-gadget': { architecture: 'amd64', gadget: 'gadget' },
  'acme-approved': {},
} as const
export type ModelName = keyof typeof MODELS
const POLICIES: Partial<Record<ModelName, readonly string[]>> = {
  'acme-approved': ['--registration', 'approval'],
  'acme-watched': ['--registration', 'auto', '--clones', 'quarantine'],
}

export interface DeviceWorld {
  readonly installation: Installation
  /** The service, which a restart replaces. */
  service: Service
  readonly front: Front
  /** The encoded models, including one of a brand that the service does not know. */
  readonly models: Readonly<Record<ModelName | 'foreign', string>>
  /** Stops the service and starts it again, with other settings if there are any. */
  restartService(settings?: Readonly<Record<string, string>>): Promise<void>
  /** Starts snapd on a new, unregistered device. */
  device(model: ModelName | 'foreign', options?: DeviceOptions): Promise<SnapdDevice>
}

interface DeviceOptions {
  /** Whether to set `proxy.store`. Default: true. */
  readonly proxyStore?: boolean
  readonly gadget?: Omit<GadgetConfiguration, 'name'>
}

/** Declares `declare`'s tests for each database. `world` works only inside tests and hooks. */
export function onEachDatabase(declare: (world: () => DeviceWorld, kind: DatabaseKind) => void): void {
  for (const kind of DATABASES) {
    suite(kind, { timeout: 300_000 }, () => {
      const ends: (() => Promise<unknown>)[] = []
      let world: DeviceWorld | undefined
      before(async () => {
        world = await makeWorld(kind, (end) => ends.push(end))
      })
      after(async () => {
        for (const end of ends.reverse()) await end()
      })
      declare(() => {
        if (!world) throw new TypeError('The service is not started yet.')
        return world
      }, kind)
    })
  }
}

async function makeWorld(
  kind: DatabaseKind,
  atEnd: (end: () => Promise<unknown>) => void,
): Promise<DeviceWorld> {
  const installation = await newInstallation(kind)
  atEnd(() => installation.remove())
  const front = await startFront()
  atEnd(() => front.close())
  const { trusted, image, models, olderKey, store } = await signAll(front.url)
  const service = await startService(installation)
  front.target = service.url
  const world: DeviceWorld = {
    installation,
    service,
    front,
    models,
    restartService: async (settings = {}) => {
      await world.service.stop()
      Object.assign(installation.environment, settings)
      world.service = await startService(installation)
    },
    device: async (model, { proxyStore = true, gadget } = {}) => {
      const directory = await mkdtemp(join(installation.directory, 'device-'))
      const name = { brand: model === 'foreign' ? 'other-brand' : BRAND, model }
      const configuration = {
        ...{ directory, trusted, assertions: [...image, models[model], store], ...name },
        ...(proxyStore ? { 'proxy-store': PROXY_STORE } : {}),
        ...(model === 'acme-gadget' ? { gadget: { ...gadget, name: 'gadget' } } : {}),
      }
      const keys = join(installation.directory, 'device-keys')
      const device = await startDevice(configuration, front.url, { keys })
      atEnd(() => device.stop())
      return device
    },
  }
  atEnd(() => world.service.stop())
  await configure(installation, models, olderKey)
  return world
}

/** Configures the service as an operator does before the first device registers. */
async function configure(
  { directory, ratafia }: Installation,
  models: DeviceWorld['models'],
  olderKey: string,
): Promise<void> {
  await ratafia(['trust', 'add', join(vectors, `account-${ROOT}`), join(vectors, `account-key-${ROOT}`)])
  await ratafia([
    ...['brands', 'add', '--account', join(vectors, `account-${BRAND}`)],
    ...['--account-key', join(vectors, `account-key-${BRAND}`), '--signing-key', keyFile('brand')],
  ])
  for (const name of Object.keys(MODELS) as ModelName[]) {
    const file = join(directory, `model-${name}`)
    await writeFile(file, `${models[name]}\n${olderKey}`)
    await ratafia(['models', 'add', file, ...(POLICIES[name] ?? ['--registration', 'auto'])])
  }
}

const vectors = join(clientPaths.root, 'packages/assertions/vectors/world')
const keyFile = (name: string): string => join(vectors, 'keys', `${name}.pem`)
const vector = (name: string): Promise<string> => readFile(join(vectors, name), 'utf8')

async function signAll(url: string) {
  const timestamp = '2026-01-01T00:00:00Z'
  const byRoot = (type: string, headers: Signing['headers'], subject?: string): Signing => ({
    ...{ key: keyFile('root'), authority: ROOT, type, headers: { timestamp, ...headers } },
    ...(subject === undefined ? {} : { subject: keyFile(subject) }),
  })
  const model = (brand: string, name: string, key: string, headers: Signing['headers']): Signing => ({
    ...{ key: keyFile(key), authority: brand, type: 'model' },
    headers: {
      ...{ series: '16', 'brand-id': brand, model: name, store: 'acme-store', timestamp, ...headers },
      ...('kernel' in headers ? {} : { classic: 'true' }),
    },
  })
  const since = '2020-01-01T00:00:00Z'
  const accountKey = (accountId: string, name: string, subject: string): Signing => ({
    ...{ key: keyFile('root'), authority: ROOT, type: 'account-key', subject: keyFile(subject) },
    headers: { 'account-id': accountId, name, since },
  })
  const other = { 'account-id': 'other-brand', 'display-name': 'Other', validation: 'unproven' }
  const [store = '', olderKey = '', otherAccount = '', otherKey = '', foreign = '', ...signed] =
    await signedBySnapd([
      byRoot('store', { store: PROXY_STORE, 'operator-id': OPERATOR, url }),
      accountKey(BRAND, 'older', OLDER_KEY),
      byRoot('account', other),
      accountKey('other-brand', 'models', 'generic'),
      model('other-brand', 'foreign', 'generic', {}),
      ...Object.entries(MODELS).map(([name, headers]) => model(BRAND, name, OLDER_KEY, headers)),
    ])
  const own = Object.fromEntries(Object.keys(MODELS).map((name, at) => [name, signed[at] ?? '']))
  return {
    trusted: [await vector(`account-${ROOT}`), await vector(`account-key-${ROOT}`)],
    // The key that signs serials is missing, because the service must provide it.
    image: [
      await vector(`account-${BRAND}`),
      await vector(`account-${OPERATOR}`),
      ...[olderKey, otherAccount, otherKey],
    ],
    store,
    olderKey,
    models: { ...(own as Record<ModelName, string>), foreign },
  }
}
