/** Fills a new database with the code of its release. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { encodeBase64 } from '@ratafia/macaroon'
import { ROOT } from '../../tools/test/programs.ts'
import { firstRules, GIVES, type Rule } from '../load/job.ts'
import { BRAND, OPERATORS, PASSWORD, type Scene, vector } from '../load/scene.ts'
import { type Installation, settingsOf } from './command.ts'
import type { Issuer } from './issuer.ts'
import { endWithThisProcess, environmentWith } from './processes.ts'

interface Plan {
  readonly tree: string
  readonly environment: Readonly<Record<string, string>>
  readonly people: readonly { readonly username: string; readonly publicKey: string }[]
  readonly models: Scene['models']
  /** Pairs of names: the first model may become the second. */
  readonly remodels: readonly (readonly [string, string])[]
  /** The URL of an issuer of ID tokens; undefined for a release that knows none. */
  readonly issuer: string | undefined
  readonly rules: readonly Rule[]
}

/** The issuer and the rules are left out for the release before. Throws an Error if it fails. */
export async function setUp(
  { people, models, asked, next }: Scene,
  installation: Installation,
  issuer?: Issuer,
): Promise<void> {
  const { tree } = installation
  const plan: Plan = {
    ...{ tree, environment: settingsOf(installation), models: [...models, asked, next] },
    remodels: models.map(({ name }) => [name, next.name] as const),
    people: people.map(({ username, keyPair }) => ({ username, publicKey: encodeBase64(keyPair.publicKey) })),
    ...{ issuer: undefined, rules: [] },
  }
  if (tree === ROOT) {
    await fill({ ...plan, issuer: issuer?.url, rules: firstRules(people) })
    if (issuer) issuer.added = true
    return
  }
  // One process cannot load two releases.
  const child = endWithThisProcess(
    spawn(process.execPath, [import.meta.filename, JSON.stringify(plan)], {
      env: environmentWith({}),
      stdio: ['ignore', 'inherit', 'inherit'],
    }),
  )
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('the database could not be set up')
}

// The types are this release's; older releases have the same operations.
type Module<Path extends keyof Modules> = Modules[Path]
interface Modules {
  'start/installation.ts': typeof import('../../packages/server/src/start/installation.ts')
  'config/config.ts': typeof import('../../packages/server/src/config/config.ts')
  'telemetry/log.ts': typeof import('../../packages/server/src/telemetry/log.ts')
  'accounts/add.ts': typeof import('../../packages/server/src/accounts/add.ts')
  'accounts/passwords/password-hasher.ts': typeof import('../../packages/server/src/accounts/passwords/password-hasher.ts')
  'identity/agents/add-agent.ts': typeof import('../../packages/server/src/identity/agents/add-agent.ts')
  'brands/trust/add-trust-roots.ts': typeof import('../../packages/server/src/brands/trust/add-trust-roots.ts')
  'brands/add-brand.ts': typeof import('../../packages/server/src/brands/add-brand.ts')
  'brands/models/add-model.ts': typeof import('../../packages/server/src/brands/models/add-model.ts')
  'brands/models/remodel.ts': typeof import('../../packages/server/src/brands/models/remodel.ts')
  'brands/models/model-policy.ts': typeof import('../../packages/server/src/brands/models/model-policy.ts')
  'management/grants/add-grant.ts': typeof import('../../packages/server/src/management/grants/add-grant.ts')
  'ci/issuers/add.ts': typeof import('../../packages/server/src/ci/issuers/add.ts')
  'ci/rules/making/add-rule.ts': typeof import('../../packages/server/src/ci/rules/making/add-rule.ts')
}

/** How an older release opens an installation. */
interface OlderStart {
  openWorkspace(
    options: StartOptions,
    schema: { readonly updateSchema: true },
  ): ReturnType<Modules['start/installation.ts']['openInstallation']>
}
type StartOptions = Parameters<Modules['start/installation.ts']['openInstallation']>[0]

/** Paths of modules that older releases have elsewhere. */
const BEFORE: Readonly<Partial<Record<keyof Modules, string>>> = {
  'start/installation.ts': 'start.ts',
  'config/config.ts': 'config.ts',
  'accounts/passwords/password-hasher.ts': 'accounts/password-hasher.ts',
  'identity/agents/add-agent.ts': 'identity/add-agent.ts',
  'brands/trust/add-trust-roots.ts': 'brands/add-trust-roots.ts',
  'brands/models/add-model.ts': 'brands/add-model.ts',
  'brands/models/remodel.ts': 'brands/remodel.ts',
  'brands/models/model-policy.ts': 'brands/model-policy.ts',
}

async function fill({ tree, environment, people, models, remodels, issuer, rules }: Plan): Promise<void> {
  const load = <Path extends keyof Modules>(path: Path): Promise<Module<Path>> =>
    import(
      [path, BEFORE[path] ?? path]
        .map((name) => join(tree, 'packages/server/src', name))
        .find((file) => existsSync(file)) ?? path
    )
  const start: Modules['start/installation.ts'] & Partial<OlderStart> = await load('start/installation.ts')
  const { readConfig } = await load('config/config.ts')
  const { createLog } = await load('telemetry/log.ts')
  const { addAccount } = await load('accounts/add.ts')
  const { createPasswordHasher } = await load('accounts/passwords/password-hasher.ts')
  const { addAgent } = await load('identity/agents/add-agent.ts')
  const { addTrustRoots } = await load('brands/trust/add-trust-roots.ts')
  const { addBrand } = await load('brands/add-brand.ts')
  const { addModel } = await load('brands/models/add-model.ts')
  const { allowRemodel } = await load('brands/models/remodel.ts')
  const { DEFAULT_POLICY } = await load('brands/models/model-policy.ts')

  const options = { config: readConfig(environment), log: createLog({ level: 'warn', pretty: false }) }
  const installation = await (start.openWorkspace?.(options, { updateSchema: true }) ??
    start.openInstallation(options))
  try {
    const file = (name: string) => ({ name, bytes: vector(name) })
    const { authority } = installation
    const files = [file('account-test-root'), file('account-key-test-root')]
    // An older tree takes the list of files alone.
    await addTrustRoots(Object.assign([...files], { files, authority }), installation)
    await addBrand(
      {
        account: file('account-acme-brand'),
        accountKey: file('account-key-acme-brand'),
        signingKey: file('keys/brand.pem'),
        authority,
      },
      installation,
    )
    for (const { name, text, registration } of models) {
      const policy = { registration, ...DEFAULT_POLICY }
      await addModel({ file: { name, bytes: Buffer.from(text) }, policy, authority }, installation)
    }
    for (const [from, to] of remodels) {
      const [was, becomes] = [from, to].map((model) => ({ brandId: BRAND, model }))
      if (was && becomes) await allowRemodel({ from: was, to: becomes, authority }, installation)
    }
    // The stored hash says what it costs: with the usual one, logins would be all that the processors do.
    const passwords = createPasswordHasher({ parameters: { ln: 4, r: 8, p: 1 } })
    for (const { username, publicKey } of people) {
      const account = { username, email: `${username}@example.com`, name: username, password: PASSWORD }
      await addAccount({ ...account, authority: installation.authority }, { ...installation, passwords })
      await addAgent(
        { name: username, account: username, publicKey, authority: installation.authority },
        { ...installation, location: `${environment['RATAFIA_BASE_URL']}/identity` },
      )
    }
    if (tree === ROOT) {
      const { addGrant } = await load('management/grants/add-grant.ts')
      const { authority } = installation
      for (const { username } of people) {
        // The agent was there before: a grant reaches it only by its name.
        const grant = { account: username, role: 'device-approver', brand: BRAND, agents: [username] }
        await addGrant({ ...grant, authority }, installation)
      }
      for (const username of OPERATORS) {
        const account = { username, email: `${username}@example.com`, name: username, password: PASSWORD }
        await addAccount({ ...account, authority }, { ...installation, passwords })
        await addGrant({ account: username, role: 'operator', authority }, installation)
      }
    }
    if (issuer === undefined) return
    const { addIssuer } = await load('ci/issuers/add.ts')
    const { addRule } = await load('ci/rules/making/add-rule.ts')
    await addIssuer({ url: issuer, kind: 'github', authority }, installation)
    // An older tree asks `by`.
    const maker = { by: 'operator', authority }
    for (const { name, person, match } of rules) {
      const gives = {
        grants: { permissions: [GIVES.permission] },
        packages: [{ name: GIVES.package }],
        lifetime: GIVES.lifetimeSeconds * 1_000,
      }
      await addRule(
        { maker, name, issuer, account: person.username, match, ...gives },
        { ...installation, jobMaxLifetime: gives.lifetime },
      )
    }
  } finally {
    await installation.close()
  }
}

if (import.meta.main) await fill(JSON.parse(process.argv[2] ?? ''))
