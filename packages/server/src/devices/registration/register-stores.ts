/** What one short transaction of a registration changes, and looks at for the last time. */
import type { BrandStore } from '../../brands/brand-store.ts'
import type { AllowListStore } from '../../brands/models/allow-list/allow-list-store.ts'
import type { ApiKeyStore } from '../../brands/models/api-keys/api-key-store.ts'
import type { ModelStore } from '../../brands/models/model-store.ts'
import type { DeviceStore } from '../device-store.ts'
import type { WaitingStore } from './approval/waiting-store.ts'
import type { RegistrationStore } from './registration-store.ts'

/** Stores made on the transaction: what they change is stored together or not at all. */
export interface RegisterStores {
  readonly devices: DeviceStore
  readonly registrations: RegistrationStore
  readonly waiting: WaitingStore
  readonly apiKeys: ApiKeyStore
  /** The operator may have changed these since they were first looked at. */
  readonly models: ModelStore
  readonly allowList: AllowListStore
  readonly brands: BrandStore
}
