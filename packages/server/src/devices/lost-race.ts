/** One short transaction over what a registration changes. The constraints of the tables decide its races. */

import type { AllowListDeps } from '../brands/models/allow-list/import-allow-list.ts'
import type { UseApiKeyDeps } from '../brands/models/api-keys/use-api-key.ts'
import type { ModelDeps } from '../brands/models/find-model.ts'
import type { Changing } from '../change.ts'
import type { DeviceStore } from './device-store.ts'
import type { RegistrationStore } from './registration/registration-store.ts'

/** Stores made on the transaction: what they change is stored together or not at all. */
export interface RegisterStores {
  readonly devices: DeviceStore
  readonly registrations: RegistrationStore
  readonly apiKeys: UseApiKeyDeps['apiKeys']
  /** What the operator may have taken away since it was looked at. */
  readonly models: Pick<ModelDeps['models'], 'hold' | 'isRemodelAllowed'>
  readonly allowList: Pick<AllowListDeps['allowList'], 'has'>
  readonly brands: { mayUse(signingKeyId: string): Promise<boolean> }
}

/** Throws {@link LostRace} also for a unique violation. `work` may run more than once, and uses no other store. */
export type InRegister = Changing<RegisterStores>

/** Somebody else was faster; nothing is stored, and a new look tells what there is now. */
export class LostRace extends Error {
  override readonly name = 'LostRace'
}

/** Throws {@link LostRace} unless it was stored. */
export function won(stored: boolean): void {
  if (!stored) throw new LostRace()
}
