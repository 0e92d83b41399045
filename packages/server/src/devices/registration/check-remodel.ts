/** Whether a device may go on as another model (contract/devices.md, decision 9). */
import { encode, type UnverifiedAssertion, verifyTrust } from '@ratafia/assertions'
import { type ModelName, showModelName } from '../../brands/models/model-policy.ts'
import type { ModelStore } from '../../brands/models/model-store.ts'
import { type TrustDeps, trustContext } from '../../brands/trust/trust.ts'
import { registrationRefused } from '../../errors.ts'
import type { Device, SerialName } from '../device.ts'
import type { DeviceStore } from '../device-store.ts'
import { explainedAsync } from '../explained.ts'
import { originalOf } from './read-registration.ts'

export interface RemodelDeps extends TrustDeps {
  readonly models: ModelStore
  readonly devices: DeviceStore
}

/**
 * `original` is the serial of the same device key. Another service may have signed it, if its chain reaches a trusted
 * root; if the register knows the device, it must be active. Throws `RequestError` `registration-refused` or
 * `invalid-assertion`.
 */
export async function checkRemodel(
  original: UnverifiedAssertion<'serial'>,
  to: ModelName,
  deps: RemodelDeps,
): Promise<void> {
  const why = await whyNoRemodel(original, to, deps)
  if (why !== undefined) throw registrationRefused(why)
  const device = await deps.devices.findByKey(original.fields)
  if (device && (await isStored(device, original, deps))) return
  await explainedAsync(
    async () => verifyTrust(original, await trustContext(deps)),
    'could not validate the original serial assertion',
  )
}

/** Why the operator or the register forbids it; verifies nothing. */
export async function whyNoRemodel(
  original: UnverifiedAssertion<'serial'>,
  to: ModelName,
  deps: Pick<RemodelDeps, 'models' | 'devices'>,
): Promise<string | undefined> {
  const from = originalOf(original)
  if (!(await deps.models.isRemodelAllowed(from, to))) {
    return `A device of ${showModelName(from).slice(0, 128)} may not become ${showModelName(to)}: the operator allows it with \`ratafia models allow-remodel\`.`
  }
  const device = await deps.devices.findByKey(original.fields)
  const problem = device ? problemOf(device, from.serial) : await heldByAnother(from, deps)
  return problem && `The original serial does not count: ${problem}.`
}

function problemOf({ status, serial, quarantinedAt }: Device, original: string): string | undefined {
  if (status !== 'active') return `its device is ${status}`
  if (quarantinedAt !== null) return 'its device is in quarantine until the operator has looked'
  return serial === original ? undefined : 'this service has another serial number for its device key'
}

async function heldByAnother(
  from: SerialName,
  { devices }: Pick<RemodelDeps, 'devices'>,
): Promise<string | undefined> {
  return (await devices.findHolder(from)) ? 'another device key has its serial number' : undefined
}

async function isStored(
  { id }: Device,
  original: UnverifiedAssertion<'serial'>,
  { devices }: Pick<RemodelDeps, 'devices'>,
): Promise<boolean> {
  const newest = (await devices.serialAssertionsOf(id)).at(-1)
  return newest !== undefined && Buffer.compare(newest.encoded, encode(original)) === 0
}
