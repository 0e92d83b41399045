/** What an opened installation offers: its stores and keys, built by `start/` for the service and for each command. */
import type { AccountStore } from '../accounts/account-store.ts'
import type { AccountSummaryStore } from '../accounts/administration/account-summary-store.ts'
import type { LoginStore } from '../accounts/logins/login-store.ts'
import type { OneTimeLinkStore } from '../accounts/one-time-links/link-store.ts'
import type { PasswordHasher } from '../accounts/passwords/password-hasher.ts'
import type { AccountRemovalStore } from '../accounts/removal/account-removal-store.ts'
import type { SecondFactorStore } from '../accounts/second-factor/second-factor-store.ts'
import type { AuditStore } from '../audit/audit-store.ts'
import type { InAudit } from '../audit/link.ts'
import type { DirectAuthority } from '../authority.ts'
import type { WholeDatabaseStore } from '../backup/whole-database-store.ts'
import type { BrandStore } from '../brands/brand-store.ts'
import type { AllowListStore } from '../brands/models/allow-list/allow-list-store.ts'
import type { ApiKeyStore } from '../brands/models/api-keys/api-key-store.ts'
import type { HardwareIdentityStore } from '../brands/models/hardware/hardware-identity-store.ts'
import type { ModelStore } from '../brands/models/model-store.ts'
import type { AssertionStore } from '../brands/trust/assertion-store.ts'
import type { AuditedChange, ChangingBy } from '../change.ts'
import type { CheckDeps } from '../checkup/check.ts'
import type { IssuerStore } from '../ci/issuers/issuer-store.ts'
import type { FetchDocument } from '../ci/issuers/keys/fetch-keys.ts'
import type { IssuerKeysStore } from '../ci/issuers/keys/issuer-keys-store.ts'
import type { RuleStore } from '../ci/rules/rule-store.ts'
import type { UsedTokenStore } from '../ci/used-token-store.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { KeptFormStore } from '../console/sign-in/kept-form-store.ts'
import type { CounterStore } from '../counting/counter-store.ts'
import type { Database } from '../database/index.ts'
import type { ActivityStore } from '../devices/activity/activity-store.ts'
import type { CloneStore } from '../devices/clones/clone-store.ts'
import type { CountStore } from '../devices/counts/count-store.ts'
import type { DeviceStore } from '../devices/device-store.ts'
import type { FleetStore } from '../devices/fleet/fleet-store.ts'
import type { ListStore } from '../devices/fleet/list-store.ts'
import type { WaitingStore } from '../devices/registration/approval/waiting-store.ts'
import type { RegistrationStore } from '../devices/registration/registration-store.ts'
import type { RemovalStore } from '../devices/removal/removal-store.ts'
import type { DeviceSessionStore } from '../devices/sessions/device-session-store.ts'
import type { DeviceTransferStore } from '../devices/transfer/device-transfer-store.ts'
import type { ImportStores } from '../devices/transfer/import-devices.ts'
import type { AgentStore } from '../identity/agents/agent-store.ts'
import type { CompletedLoginStore } from '../identity/logins/completed-login-store.ts'
import type { SignInSessionStore } from '../identity/logins/sign-in-session-store.ts'
import type { LeaseStore } from '../jobs/lease-store.ts'
import type { Keyring } from '../keyring/keyring.ts'
import type { NewKeyStores } from '../keyring/rotate.ts'
import type { SealedValueStore } from '../keyring/sealed-value-store.ts'
import type { Sealer } from '../keyring/sealing.ts'
import type { GrantStore } from '../management/grants/grant-store.ts'
import type { JobStore } from '../management/jobs/job-store.ts'
import type { RepeatStore } from '../management/repeats/repeat-store.ts'
import type { PackageStore } from '../package-directory/package-store.ts'
import type { EndingStore } from '../reminders/ending-store.ts'
import type { ReminderStore } from '../reminders/reminder-store.ts'
import type { ProcessStore } from '../status/process-store.ts'
import type { TokenActivityStore } from '../tokens/activity/token-activity-store.ts'
import type { SessionStore } from '../tokens/session-store.ts'

/** An installation whose schema and keys are unchecked; opening it makes no key. */
export interface UnopenedInstallation {
  readonly clock: Clock
  /** Which database, without user and password. */
  readonly location: string
  readonly wholeDatabase: WholeDatabaseStore
  /** Of the operator: whoever runs this process. */
  readonly authority: DirectAuthority
  /** Adds an entry to the audit log, about what changes no row itself. */
  record(change: AuditedChange): Promise<void>
  /** What `ratafia verify` reads, in one snapshot. */
  atOneMoment<T>(work: (moment: Omit<CheckDeps, 'sealer'>) => Promise<T>): Promise<T>
}

/** Every store: on the database, or all of them on one transaction. */
export interface Stores {
  readonly accounts: AccountStore
  readonly accountSummaries: AccountSummaryStore
  readonly logins: LoginStore
  readonly secondFactors: SecondFactorStore
  readonly oneTimeLinks: OneTimeLinkStore
  readonly agents: AgentStore
  readonly grants: GrantStore
  readonly counts: CounterStore
  readonly repeats: RepeatStore
  readonly keptForms: KeptFormStore
  readonly jobs: JobStore
  readonly endings: EndingStore
  readonly reminders: ReminderStore
  readonly signInSessions: SignInSessionStore
  readonly completedLogins: CompletedLoginStore
  readonly tokenSessions: SessionStore
  readonly tokenActivities: TokenActivityStore
  readonly usedTokens: UsedTokenStore
  readonly issuers: IssuerStore
  readonly issuerKeys: IssuerKeysStore
  readonly packages: PackageStore
  readonly rules: RuleStore
  readonly assertions: AssertionStore
  readonly brands: BrandStore
  readonly models: ModelStore
  readonly apiKeys: ApiKeyStore
  readonly allowList: AllowListStore
  readonly hardwareIdentities: HardwareIdentityStore
  readonly devices: DeviceStore
  readonly activities: ActivityStore
  readonly registrations: RegistrationStore
  readonly waiting: WaitingStore
  readonly clones: CloneStore
  readonly deviceSessions: DeviceSessionStore
  readonly removals: RemovalStore
  readonly accountRemovals: AccountRemovalStore
  readonly audit: AuditStore
}

export interface Installation extends Stores {
  readonly config: Config
  /** The database's. */
  readonly clock: Clock
  /** How far this machine's clock is ahead of the database's, in milliseconds; see `DatabaseClock.aheadBy`. */
  readonly clockAhead: () => number
  readonly database: Database
  readonly keyring: Keyring
  readonly passwords: PasswordHasher
  readonly sealer: Sealer
  readonly deviceTransfers: DeviceTransferStore
  readonly leases: LeaseStore
  readonly processes: ProcessStore
  readonly fleet: FleetStore
  readonly deviceLists: ListStore
  readonly deviceCounts: CountStore
  /** What issuers of ID tokens publish. */
  readonly fetchDocument: FetchDocument
  /** Of the operator: whoever runs this process. */
  readonly authority: DirectAuthority
  readonly changeBy: ChangingBy<Stores & NewKeyStores & { readonly sealedValues: SealedValueStore }>
  /** Without a limit of time. */
  readonly inImport: ChangingBy<Stores & ImportStores>
  readonly inAudit: InAudit
  close(): Promise<void>
}
