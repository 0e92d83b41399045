/**
 * Tests what operations require of their callers, including operations without an address in the API (A4,
 * B10, B11, B13).
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { newAccountId } from '@ratafia/api'
import { revokeAll } from '../../src/accounts/ended-logins/revoke-all.ts'
import { linkIdentity } from '../../src/accounts/link.ts'
import { setPassword } from '../../src/accounts/passwords/set-password.ts'
import { removeAccount } from '../../src/accounts/removal/remove-account.ts'
import { disableSecondFactor } from '../../src/accounts/second-factor/disable.ts'
import { enableSecondFactor } from '../../src/accounts/second-factor/enable.ts'
import { switchPasswordLogins } from '../../src/accounts/switch-password-logins.ts'
import type { Authority, SignIn } from '../../src/authority.ts'
import { addBrand, createBrand } from '../../src/brands/add-brand.ts'
import { addSigningKey } from '../../src/brands/keys/add-signing-key.ts'
import { importAllowList } from '../../src/brands/models/allow-list/import-allow-list.ts'
import { importHardwareIdentities } from '../../src/brands/models/hardware/import-hardware-identities.ts'
import { removeBrand } from '../../src/brands/remove-brand.ts'
import { signWithStoredKey } from '../../src/brands/sign-statement.ts'
import { addTrustRoots, createRoot } from '../../src/brands/trust/add-trust-roots.ts'
import { removeTrustRoot } from '../../src/brands/trust/remove-trust-root.ts'
import { addIssuer } from '../../src/ci/issuers/add.ts'
import { refreshIssuer } from '../../src/ci/issuers/refresh.ts'
import { removeIssuer } from '../../src/ci/issuers/remove.ts'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import { disableRule } from '../../src/ci/rules/managing/disable-rule.ts'
import { removeRule } from '../../src/ci/rules/managing/remove-rule.ts'
import { importDevices } from '../../src/devices/transfer/import-devices.ts'
import { addAgent } from '../../src/identity/agents/add-agent.ts'
import { reseal } from '../../src/keyring/reseal.ts'
import { rotate } from '../../src/keyring/rotate.ts'
import { importPackages } from '../../src/package-directory/import.ts'
import { importSerialVault } from '../../src/serial-vault/import.ts'
import { deciding } from '../support/authorities.ts'
import { acmeFiles, testKey, vector } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import { ACME, withAcme } from '../support/devices.ts'
import { addManager } from '../support/managers.ts'
import { GITHUB, givenIssuer } from '../support/rules.ts'
import { addPerson, testService } from '../support/service.ts'

type Permission = Parameters<Authority['scopeOf']>[0]

eachDatabase((_kind, open, fresh) => {
  const service = testService(fresh)
  const on = () => service.installation

  /** Returns a caller with these permissions for all brands, or only for `brands`. */
  const caller = (
    permissions: readonly Permission[],
    signIn: SignIn,
    brands?: readonly string[],
  ): Authority => {
    const scopeOf = (one: Permission) =>
      permissions.includes(one) ? (brands ? new Set(brands) : 'all') : new Set<string>()
    return {
      ...{ author: { actor: 'account:mallory', source: '192.0.2.1' }, by: 'mallory' },
      ...{ accountId: newAccountId(), scopeOf, accountScopeOf: scopeOf, signIn, caller: 'mallory' },
    }
  }
  const now = (): SignIn => ({ kind: 'person', at: service.now() })
  const EVERYTHING: readonly Permission[] = [
    ...(['devices:read', 'devices:decide', 'devices:manage', 'models:read', 'models:manage'] as const),
    ...(['accounts:read', 'accounts:manage', 'tokens:read', 'tokens:revoke', 'audit:read'] as const),
    ...(['roles:read', 'roles:manage', 'status:read'] as const),
  ]
  const without = (...left: readonly Permission[]) => EVERYTHING.filter((one) => !left.includes(one))

  const WANTED_RULE = {
    name: 'r',
    match: { repository_id: '74', repository_owner_id: '65', ref: 'refs/heads/main' },
    packages: [{ name: 'hello' }],
  }
  const GRANTS = { permissions: ['package_upload'] }
  const rule = (account: string, authority: Authority) =>
    addRule(
      { ...WANTED_RULE, issuer: GITHUB, account, grants: GRANTS, maker: { authority } },
      { ...on(), jobMaxLifetime: 900_000 },
    )
  const source = { format: 'csv', open: async function* () {} } as const

  /** Operations that create a credential for an account. */
  const LETTING_IN: Record<string, (account: string, authority: Authority) => Promise<unknown>> = {
    setPassword: (account, authority) => setPassword({ account, authority, password: 'correct horse' }, on()),
    enableSecondFactor: (account, authority) =>
      enableSecondFactor({ account, authority, issuer: 'x', instead: false }, on()),
    disableSecondFactor: (account, authority) => disableSecondFactor({ account, authority }, on()),
    linkIdentity: (account, authority) =>
      linkIdentity({ account, authority, issuer: 'https://id.example', subject: 's' }, on()),
    addAgent: (account, authority) =>
      addAgent({ account, authority, name: 'own-agent' }, { ...on(), location: 'https://id.example' }),
    addRule: rule,
  }
  const ON_ACCOUNTS = {
    ...LETTING_IN,
    removeAccount: (account: string, authority: Authority) => removeAccount({ account, authority }, on()),
    switchPasswordLogins: (account: string, authority: Authority) =>
      switchPasswordLogins({ account, authority, on: false }, on()),
    disableRule: async (_: string, authority: Authority) => disableRule({ name: 'boss', authority }, on()),
    removeRule: async (_: string, authority: Authority) => removeRule({ name: 'boss', authority }, on()),
  }
  const OPERATORS_ALONE: Record<string, (authority: Authority) => Promise<unknown>> = {
    addIssuer: (authority) => addIssuer({ url: 'https://token.example', kind: 'generic', authority }, on()),
    refreshIssuer: (authority) => refreshIssuer({ issuer: GITHUB, authority }, on()),
    removeIssuer: (authority) => removeIssuer({ issuer: GITHUB, authority }, on()),
    addTrustRoots: (authority) =>
      addTrustRoots({ files: [vector('world/account-test-root')], authority }, on()),
    removeTrustRoot: (authority) => removeTrustRoot({ accountId: 'test-root', force: true, authority }, on()),
    createRoot: (authority) =>
      createRoot(
        { accountId: 'x', key: testKey('root'), keyName: 'k', keep: async () => {}, authority },
        on(),
      ),
    addBrand: (authority) => addBrand({ ...acmeFiles, authority }, on()),
    createBrand: (authority) =>
      createBrand(
        { accountId: 'x', rootKey: testKey('root'), keyName: 'k', keep: async () => {}, authority },
        on(),
      ),
    removeBrand: (authority) => removeBrand({ brand: 'acme', authority }, on()),
    addSigningKey: (authority) => addSigningKey({ signingKey: acmeFiles.signingKey, authority }, on()),
    signWithStoredKey: (authority) => {
      const input = { type: 'model', headers: {}, body: '' } as const
      return signWithStoredKey({ statement: { input, authorityId: 'acme' }, authority }, on())
    },
    importPackages: (authority) =>
      importPackages('name,snap_id\n', { format: 'csv', replaceAll: true, authority }, on()),
    rotate: (authority) => rotate({ kinds: ['root'], authority }, on()),
    reseal: (authority) => reseal({ sealer: on().sealer, authority }, on()),
    importSerialVault: (authority) => importSerialVault({ files: [], dryRun: false, authority }, on()),
  }

  let boss = ''
  before(async () => {
    await givenIssuer(await open(), GITHUB, 'github')
    await withAcme({ ...on(), clock: service.now })
    boss = (await addManager(service, 'operator')).username
    await addRule(
      {
        ...WANTED_RULE,
        name: 'boss',
        issuer: GITHUB,
        account: boss,
        grants: GRANTS,
        maker: { authority: deciding() },
      },
      { ...on(), jobMaxLifetime: 900_000 },
    )
  })
  const entries = async () => (await on().audit.list({}, { limit: 1 }))[0]?.id
  const refuses = async (work: () => Promise<unknown>, code: string) => {
    const before = await entries()
    await assert.rejects(work, { code })
    assert.equal(await entries(), before, 'a refusal adds no entry')
  }

  for (const [name, act] of Object.entries(ON_ACCOUNTS)) {
    test(`Guarantee: ${name} requires accounts:manage, and for an operator's account all permissions of an operator`, async () => {
      const { username } = await addPerson(service)
      await refuses(() => act(username, caller(without('accounts:manage'), now())), 'permission-denied')
      await refuses(() => act(boss, caller(without('roles:manage'), now())), 'permission-denied')
    })
  }

  for (const [name, act] of Object.entries(LETTING_IN)) {
    test(`Guarantee: ${name} creates a credential, so it requires a person who just signed in`, async () => {
      const { username } = await addPerson(service)
      const at = new Date(service.now().getTime() - 16 * 60_000)
      await refuses(() => act(username, caller(EVERYTHING, { kind: 'agent', name: 'a' })), 'person-required')
      await refuses(() => act(username, caller(EVERYTHING, { kind: 'unknown' })), 'person-required')
      await refuses(
        () => act(username, caller(EVERYTHING, { kind: 'person', at })),
        'recent-sign-in-required',
      )
    })
  }

  test('Guarantee: revoking every token of an account requires tokens:revoke and a recent sign-in; operators are excepted', async () => {
    const { username } = await addPerson(service)
    const end = (account: string, authority: Authority) => revokeAll({ account, authority }, on())
    await refuses(() => end(username, caller(without('tokens:revoke'), now())), 'permission-denied')
    await refuses(() => end(username, caller(EVERYTHING, { kind: 'agent', name: 'a' })), 'person-required')
    await refuses(() => end(boss, caller(without('roles:manage'), now())), 'permission-denied')
  })

  for (const [name, act] of Object.entries(OPERATORS_ALONE)) {
    test(`Guarantee: ${name} is only for operators`, async () => {
      await refuses(() => act(caller(without('roles:manage'), now())), 'permission-denied')
      await refuses(() => act(caller(EVERYTHING, now(), ['acme'])), 'permission-denied')
    })
  }

  test('Guarantee: imports require the permission to manage what they fill', async () => {
    const list = (authority: Authority) =>
      importAllowList('serial\nA\n', { model: ACME, format: 'csv', authority }, on())
    await refuses(() => list(caller(without('models:manage'), now())), 'permission-denied')
    await refuses(() => list(caller(EVERYTHING, now(), ['other'])), 'no-such-record')
    const identities = [vector('extra-head/hardware-identity')]
    const hardware = (authority: Authority) => importHardwareIdentities(identities, { authority }, on())
    await refuses(() => hardware(caller(without('models:manage'), now())), 'permission-denied')
    await refuses(() => hardware(caller(EVERYTHING, now(), ['acme'])), 'permission-denied')
    const devices = (authority: Authority) => importDevices({ source, authority }, on())
    await refuses(() => devices(caller(without('devices:manage'), now())), 'permission-denied')
    // For imports into their own brands, see file-jobs.test.ts.
    await refuses(() => devices(caller(EVERYTHING, now(), [])), 'permission-denied')
  })
})
