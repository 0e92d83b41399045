/** A registration on its way through its parts, and what comes of it. */
import type { Caller, Device, SerialAssertion } from '../device.ts'
import type { RegistrationRequest } from './read-registration.ts'
import type { Registration } from './registration-store.ts'

/** Read, and signed by the device; that its model is genuine is checked before anything new is stored. */
export interface Ask extends RegistrationRequest {
  /** The header `api-key`. */
  readonly apiKey: string | undefined
  readonly caller: Caller
  readonly requestIdHash: Uint8Array
  readonly requestHash: Uint8Array
}

/** What the register says: here is your serial, or wait. */
export type Outcome = SerialAssertion | 'wait'

/** The row that uses the request-id up. */
export const registrationOf = (
  { requestIdHash, requestHash, caller }: Ask,
  { id }: Pick<Device, 'id'>,
  at: Date,
): Registration => ({ requestIdHash, requestHash, caller, deviceId: id, at })
