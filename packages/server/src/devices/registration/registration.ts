/** A registration on its way through its steps, and its result. */
import type { Caller, SerialAssertion } from '../device.ts'
import type { RegistrationRequest } from './read-registration.ts'

/** Read, and signed by the device. Whether its model is genuine is checked before anything new is stored. */
export interface Registration extends RegistrationRequest {
  /** The header `api-key`. */
  readonly apiKey: string | undefined
  readonly caller: Caller
  /** SHA-256. */
  readonly requestIdHash: Uint8Array
  /** Too old for a new request; one that was accepted before may still be repeated. */
  readonly requestIdExpired: boolean
  /** SHA-256 of the content of the serial-request. */
  readonly requestHash: Uint8Array
}

/** The serial, or `wait`: the operator has yet to approve the device. */
export type RegistrationResult = SerialAssertion | 'wait'
