/** What operations on brands and models work with; each takes its part. */
import type { ChangingBy } from '../change.ts'
import type { DeviceStore } from '../devices/device-store.ts'
import type { BrandStore } from './brand-store.ts'
import type { SignerDeps } from './keys/signer-for.ts'
import type { AllowListStore } from './models/allow-list/allow-list-store.ts'
import type { ApiKeyStore } from './models/api-keys/api-key-store.ts'
import type { HardwareIdentityStore } from './models/hardware/hardware-identity-store.ts'
import type { ModelStore } from './models/model-store.ts'
import type { AssertionStore } from './trust/assertion-store.ts'

export interface BrandStores {
  readonly assertions: AssertionStore
  readonly brands: BrandStore
  readonly models: ModelStore
  readonly apiKeys: ApiKeyStore
  readonly allowList: AllowListStore
  readonly hardwareIdentities: HardwareIdentityStore
  readonly devices: DeviceStore
}

export interface BrandDeps extends BrandStores, SignerDeps {
  readonly brands: BrandStore
  readonly changeBy: ChangingBy
}
