/** Creates every store, on the database or on one of its transactions. */
import { accountStore } from '../accounts/account-store.ts'
import { accountSummaryStore } from '../accounts/administration/account-summary-store.ts'
import { signInSessionStore } from '../accounts/browsers/sign-in-session-store.ts'
import { loginStore } from '../accounts/logins/login-store.ts'
import { oneTimeLinkStore } from '../accounts/one-time-links/link-store.ts'
import { accountRemovalStore } from '../accounts/removal/account-removal-store.ts'
import { secondFactorStore } from '../accounts/second-factor/second-factor-store.ts'
import { auditStore } from '../audit/audit-store.ts'
import { brandStore } from '../brands/brand-store.ts'
import { allowListStore } from '../brands/models/allow-list/allow-list-store.ts'
import { apiKeyStore } from '../brands/models/api-keys/api-key-store.ts'
import { hardwareIdentityStore } from '../brands/models/hardware/hardware-identity-store.ts'
import { modelStore } from '../brands/models/model-store.ts'
import { assertionStore } from '../brands/trust/assertion-store.ts'
import type { InChange, Recording } from '../change.ts'
import { issuerStore } from '../ci/issuers/issuer-store.ts'
import { issuerKeysStore } from '../ci/issuers/keys/issuer-keys-store.ts'
import { ruleStore } from '../ci/rules/rule-store.ts'
import { usedTokenStore } from '../ci/used-token-store.ts'
import type { Clock } from '../clock.ts'
import { keptFormStore } from '../console/sign-in/kept-form-store.ts'
import { counterStore } from '../counting/counter-store.ts'
import { type Database, inTransaction } from '../database/index.ts'
import { activityStore } from '../devices/activity/activity-store.ts'
import { cloneStore } from '../devices/clones/clone-store.ts'
import { deviceStore } from '../devices/device-store.ts'
import { waitingStore } from '../devices/registration/approval/waiting-store.ts'
import { registrationStore } from '../devices/registration/registration-store.ts'
import { removalStore } from '../devices/removal/removal-store.ts'
import { deviceSessionStore } from '../devices/sessions/device-session-store.ts'
import { registerImport } from '../devices/transfer/device-transfer-store.ts'
import { grantStore } from '../grants/grant-store.ts'
import { agentStore } from '../identity/agents/agent-store.ts'
import { completedLoginStore } from '../identity/logins/completed-login-store.ts'
import { setupLinkStore } from '../identity/setup/setup-link-store.ts'
import { createKeyPairStore, createRootKeyStore } from '../keyring/key-store.ts'
import { sealedValueStore } from '../keyring/sealed-value-store.ts'
import type { Sealer } from '../keyring/sealing.ts'
import { jobStore } from '../management/jobs/job-store.ts'
import { repeatStore } from '../management/repeats/repeat-store.ts'
import { packageStore } from '../package-directory/package-store.ts'
import { endingStore } from '../reminders/ending-store.ts'
import { reminderStore } from '../reminders/reminder-store.ts'
import type { Stores, TransactionStores } from '../stores.ts'
import { tokenActivityStore } from '../tokens/activity/token-activity-store.ts'
import { sessionStore } from '../tokens/session-store.ts'
import { changing } from './changing.ts'

export const storesOn = (
  on: Pick<Database, 'query'> & Partial<Pick<Database, 'distributed'>>,
): TransactionStores => ({
  accounts: accountStore(on),
  accountSummaries: accountSummaryStore(on),
  logins: loginStore(on),
  secondFactors: secondFactorStore(on),
  oneTimeLinks: oneTimeLinkStore(on),
  setupLinks: setupLinkStore(on),
  agents: agentStore(on),
  grants: grantStore(on),
  counts: counterStore(on),
  repeats: repeatStore(on),
  keptForms: keptFormStore(on),
  jobs: jobStore(on),
  endings: endingStore(on),
  reminders: reminderStore(on),
  signInSessions: signInSessionStore(on),
  completedLogins: completedLoginStore(on),
  tokenSessions: sessionStore(on),
  tokenActivities: tokenActivityStore(on),
  usedTokens: usedTokenStore(on),
  issuers: issuerStore(on),
  issuerKeys: issuerKeysStore(on),
  packages: packageStore(on),
  rules: ruleStore(on),
  assertions: assertionStore(on),
  brands: brandStore(on),
  models: modelStore(on),
  apiKeys: apiKeyStore(on),
  allowList: allowListStore(on),
  hardwareIdentities: hardwareIdentityStore(on),
  devices: deviceStore(on),
  activities: activityStore(on),
  registrations: registrationStore(on),
  waiting: waitingStore(on),
  clones: cloneStore(on),
  deviceSessions: deviceSessionStore(on),
  removals: removalStore(on),
  accountRemovals: accountRemovalStore(on),
  audit: auditStore(on),
})

/** Creates the stores of a change, on its transaction. */
export const storesInChange = (
  on: Pick<Database, 'query'>,
  sealer: Sealer,
): Omit<InChange, keyof Recording> => ({
  ...storesOn(on),
  rootKeys: createRootKeyStore(on, sealer),
  keyPairs: createKeyPairStore(on, sealer),
  sealedValues: sealedValueStore(on),
})

type Changes = Pick<Stores, 'changeBy' | 'inImport' | 'inAudit'>

/** Creates the functions that run writing transactions. Each records its changes in the audit log. */
export function changesOn(
  database: Database,
  { clock, sealer }: { readonly clock: Clock; readonly sealer: Sealer },
): Changes {
  return {
    changeBy: changing(database, clock, (on) => storesInChange(on, sealer)),
    inImport: (author) => (work) =>
      database.unhurried((query) =>
        changing({ query }, clock, (on) => ({
          ...storesInChange(on, sealer),
          register: registerImport({ ...on, distributed: database.distributed }),
        }))(author)(work),
      ),
    inAudit: (work) => inTransaction(database.query, (query) => work(auditStore({ query }))),
  }
}
