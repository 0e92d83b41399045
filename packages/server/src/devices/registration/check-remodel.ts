/** Checks whether a device may become a different model (contract/devices.md 8). */
import { encode, type UnverifiedAssertion } from '@ratafia/assertions'
import { type ModelName, showModelName } from '../../brands/models/model-policy.ts'
import { verifyChain } from '../../brands/trust/trust.ts'
import { registrationRefused } from '../../errors.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { Device } from '../device.ts'
import { explainedAsync } from '../explained.ts'

/**
 * `original` is the serial of the same device key. Another service may have signed it, if its chain reaches a
 * trusted root. If the device is in the register, it must be active. Throws `RequestError`
 * `registration-refused` or `invalid-assertion`.
 */
export async function checkRemodel(
  original: UnverifiedAssertion<'serial'>,
  to: ModelName,
  stores: Stores,
): Promise<void> {
  const why = await whyNoRemodel(original, to, stores)
  if (why !== undefined) throw registrationRefused(why)
  const device = await stores.devices.findByKey(original.fields)
  const stored = device && (await stores.devices.findSerialAssertion(device))
  if (stored && Buffer.compare(stored.encoded, encode(original)) === 0) return
  await explainedAsync(
    () => verifyChain(original, stores),
    'could not validate the original serial assertion',
  )
}

/** Returns why the operator or the register forbids it; undefined if they don't. Verifies nothing. */
export async function whyNoRemodel(
  original: UnverifiedAssertion<'serial'>,
  to: ModelName,
  { models, devices }: TransactionStores,
): Promise<string | undefined> {
  const from = original.fields
  if (!(await models.isRemodelAllowed(from, to))) {
    return `A device of ${showModelName(from).slice(0, 128)} can't become ${showModelName(to)}. The operator can allow it with \`ratafia models allow-remodel\`.`
  }
  const device = await devices.findByKey(from)
  if (!device && (await devices.findHolder(from))) {
    return 'The original serial cannot be used: another device key has its serial number.'
  }
  const problem = device && problemOf(device, from.serial)
  return problem && `The original serial cannot be used: ${problem}.`
}

function problemOf({ status, serial, quarantinedAt }: Device, original: string): string | undefined {
  if (status !== 'active') return `its device is ${status}`
  if (quarantinedAt !== null) return 'its device is in quarantine until the operator reviews it'
  return serial === original ? undefined : 'this service has a different serial number for its device key'
}
