/** What an opened installation offers: its stores and keys, built by `start.ts` for the service and for each command. */
import type { AccountStore } from './accounts/account-store.ts'
import type { PasswordHasher } from './accounts/password-hasher.ts'
import type { WholeDatabaseStore } from './backup/whole-database-store.ts'
import type { AllowListStore } from './brands/allow-list-store.ts'
import type { ApiKeyStore } from './brands/api-key-store.ts'
import type { AssertionStore } from './brands/assertion-store.ts'
import type { BrandStore } from './brands/brand-store.ts'
import type { HardwareIdentityStore } from './brands/hardware-identity-store.ts'
import type { ModelStore } from './brands/model-store.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database } from './database/index.ts'
import type { CloneStore } from './devices/clone-store.ts'
import type { DeviceSessionStore } from './devices/device-session-store.ts'
import type { DeviceStore } from './devices/device-store.ts'
import type { DeviceTransferStore } from './devices/device-transfer-store.ts'
import type { InRegister } from './devices/register-transaction.ts'
import type { RegistrationStore } from './devices/registration-store.ts'
import type { AgentStore } from './identity/agent-store.ts'
import type { SignInSessionStore } from './identity/sign-in-session-store.ts'
import type { Keyring } from './keyring/keyring.ts'
import type { SealedValueStore } from './keyring/sealed-value-store.ts'
import type { Sealer } from './keyring/sealing.ts'
import type { PackageStore } from './packages/package-store.ts'
import type { SessionStore } from './tokens/session-store.ts'
import type { VerifyStore } from './verify/verify-store.ts'

/** An installation as it lies there: nobody has looked at its schema or its keys, and none is made. */
export interface Storage {
  readonly clock: Clock
  readonly wholeDatabase: WholeDatabaseStore
  /** What `ratafia verify` reads, at one moment. */
  atOneMoment<T>(
    work: (moment: { readonly rows: VerifyStore; readonly sealed: SealedValueStore }) => Promise<T>,
  ): Promise<T>
}

export interface Workspace {
  readonly config: Config
  readonly clock: Clock
  readonly database: Database
  readonly keyring: Keyring
  readonly passwords: PasswordHasher
  readonly accounts: AccountStore
  readonly agents: AgentStore
  readonly signInSessions: SignInSessionStore
  readonly sessions: SessionStore
  readonly packages: PackageStore
  readonly sealer: Sealer
  readonly sealedValues: SealedValueStore
  readonly assertions: AssertionStore
  readonly brands: BrandStore
  readonly models: ModelStore
  readonly apiKeys: ApiKeyStore
  readonly allowList: AllowListStore
  readonly hardwareIdentities: HardwareIdentityStore
  readonly devices: DeviceStore
  readonly registrations: RegistrationStore
  readonly inRegister: InRegister
  readonly clones: CloneStore
  readonly deviceSessions: DeviceSessionStore
  readonly deviceTransfers: DeviceTransferStore
  close(): Promise<void>
}
