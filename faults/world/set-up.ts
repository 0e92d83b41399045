/** Fills a new database with the brands, models, people and rules of the load. */
import { encodeBase64 } from '@ratafia/macaroon'
import { addAccount } from '../../packages/server/src/accounts/add.ts'
import { createPasswordHasher } from '../../packages/server/src/accounts/passwords/password-hasher.ts'
import { addBrand } from '../../packages/server/src/brands/add-brand.ts'
import { addModel } from '../../packages/server/src/brands/models/add-model.ts'
import { DEFAULT_POLICY } from '../../packages/server/src/brands/models/model-policy.ts'
import { allowRemodel } from '../../packages/server/src/brands/models/remodel.ts'
import { addTrustRoots } from '../../packages/server/src/brands/trust/add-trust-roots.ts'
import { addIssuer } from '../../packages/server/src/ci/issuers/add.ts'
import { addRule } from '../../packages/server/src/ci/rules/making/add-rule.ts'
import { readConfig } from '../../packages/server/src/config/config.ts'
import { addAgent } from '../../packages/server/src/identity/agents/add-agent.ts'
import type { Installation as Opened } from '../../packages/server/src/installation.ts'
import { addGrant } from '../../packages/server/src/management/grants/add-grant.ts'
import { openInstallation } from '../../packages/server/src/start/installation.ts'
import { createLog } from '../../packages/server/src/telemetry/log.ts'
import { firstRules, GIVES } from '../load/job.ts'
import { BRAND, OPERATORS, PASSWORD, type Scene, vector } from '../load/scene.ts'
import type { Installation } from './command.ts'
import type { Issuer } from './issuer.ts'

/** Sets up the database. Without `issuer`, it has no CI rules. Throws an Error if it fails. */
export async function setUp(
  scene: Scene,
  { environment }: Pick<Installation, 'environment'>,
  issuer?: Issuer,
): Promise<void> {
  const options = { config: readConfig(environment), log: createLog({ level: 'warn', pretty: false }) }
  const installation = await openInstallation(options)
  try {
    await addModels(scene, installation)
    await addPeople(scene, installation, `${environment['RATAFIA_BASE_URL']}/identity`)
    if (issuer) await addRules(scene, installation, issuer)
  } finally {
    await installation.close()
  }
}

async function addModels({ models, asked, next }: Scene, installation: Opened): Promise<void> {
  const file = (name: string) => ({ name, bytes: vector(name) })
  const { authority } = installation
  const files = [file('account-test-root'), file('account-key-test-root')]
  await addTrustRoots({ files, authority }, installation)
  await addBrand(
    {
      account: file('account-acme-brand'),
      accountKey: file('account-key-acme-brand'),
      signingKey: file('keys/brand.pem'),
      authority,
    },
    installation,
  )
  for (const { name, text, registration } of [...models, asked, next]) {
    const policy = { ...DEFAULT_POLICY, registration }
    await addModel({ file: { name, bytes: Buffer.from(text) }, policy, authority }, installation)
  }
  const to = { brandId: BRAND, model: next.name }
  for (const { name: model } of models) {
    await allowRemodel({ from: { brandId: BRAND, model }, to, authority }, installation)
  }
}

/** Adds people with an agent and a role, and operators. */
async function addPeople({ people }: Scene, installation: Opened, location: string): Promise<void> {
  const { authority } = installation
  // A cheap hash: with the usual cost, which each stored hash contains, logins would occupy the processors completely.
  const passwords = createPasswordHasher({ parameters: { ln: 4, r: 8, p: 1 } })
  const add = (username: string) => {
    const account = { username, email: `${username}@example.com`, name: username, password: PASSWORD }
    return addAccount({ ...account, authority }, { ...installation, passwords })
  }
  for (const { username, keyPair } of people) {
    await add(username)
    const publicKey = encodeBase64(keyPair.publicKey)
    const agent = { name: username, account: username, publicKey, authority }
    await addAgent(agent, { ...installation, location })
  }
  for (const { username } of people) {
    // The agent already exists, so the grant must name it to reach it.
    const grant = { account: username, role: 'device-approver', brand: BRAND, agents: [username] }
    await addGrant({ ...grant, authority }, installation)
  }
  for (const username of OPERATORS) {
    await add(username)
    await addGrant({ account: username, role: 'operator', authority }, installation)
  }
}

async function addRules({ people }: Scene, installation: Opened, { url }: Issuer): Promise<void> {
  const { authority } = installation
  await addIssuer({ url, kind: 'github', authority }, installation)
  const gives = {
    grants: { permissions: [GIVES.permission] },
    packages: [{ name: GIVES.package }],
    lifetime: GIVES.lifetimeSeconds * 1_000,
  }
  for (const { name, person, match } of firstRules(people)) {
    const rule = { name, issuer: url, account: person.username, match, ...gives }
    await addRule({ maker: { authority }, ...rule }, { ...installation, jobMaxLifetime: gives.lifetime })
  }
}
