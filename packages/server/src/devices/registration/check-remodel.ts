/** Whether a device may go on as another model (contract/devices.md, decision 9). */
import { encode, type UnverifiedAssertion, verifyTrust } from '@ratafia/assertions'
import { type ModelName, showModelName } from '../../brands/models/model-policy.ts'
import type { ModelStore } from '../../brands/models/model-store.ts'
import { type TrustDeps, trustContext } from '../../brands/trust/trust.ts'
import { RequestError } from '../../errors.ts'
import type { Device } from '../device.ts'
import type { DeviceStore } from '../device-store.ts'
import { explainedAsync } from '../explained.ts'
import { originalOf } from './read-registration.ts'

export interface RemodelDeps extends TrustDeps {
  readonly models: Pick<ModelStore, 'isRemodelAllowed'>
  readonly devices: Pick<DeviceStore, 'findByKey' | 'findHolder' | 'serialAssertionsOf'>
}

/**
 * `original` is the serial of the same device key. It may be one that was signed elsewhere, if its chain holds; one
 * that the register has has to stand there as active. Throws {@link RequestError} `registration-refused` or
 * `invalid-assertion`.
 */
export async function checkRemodel(
  original: UnverifiedAssertion<'serial'>,
  to: ModelName,
  deps: RemodelDeps,
): Promise<void> {
  const why = await whyNoRemodel(original, to, deps)
  if (why !== undefined) throw refused(why)
  const device = await deps.devices.findByKey(original.fields)
  if (device && (await isStored(device, original, deps))) return
  await explainedAsync(
    async () => verifyTrust(original, await trustContext(deps)),
    'could not validate the original serial assertion',
  )
}

/** What the operator and the register say against it; nothing is verified. */
export async function whyNoRemodel(
  original: UnverifiedAssertion<'serial'>,
  to: ModelName,
  deps: {
    readonly models: Pick<ModelStore, 'isRemodelAllowed'>
    readonly devices: Pick<DeviceStore, 'findByKey' | 'findHolder'>
  },
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
  from: ReturnType<typeof originalOf>,
  { devices }: { readonly devices: Pick<DeviceStore, 'findHolder'> },
): Promise<string | undefined> {
  return (await devices.findHolder(from)) ? 'another device key has its serial number' : undefined
}

async function isStored(
  { id }: Device,
  original: UnverifiedAssertion<'serial'>,
  { devices }: RemodelDeps,
): Promise<boolean> {
  const newest = (await devices.serialAssertionsOf(id)).at(-1)
  return newest !== undefined && Buffer.compare(newest.encoded, encode(original)) === 0
}

const refused = (message: string) => new RequestError('registration-refused', message)
