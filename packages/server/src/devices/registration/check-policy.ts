/** Checks a new device against its model's policy: API key, serial number, allow-list, hardware, remodel. */
import { isDeepStrictEqual } from 'node:util'
import { encode, type UnverifiedAssertion } from '@ratafia/assertions'
import { checkApiKey, useApiKey } from '../../brands/models/api-keys/use-api-key.ts'
import {
  type ModelName,
  type OpenModel,
  type StoredModel,
  showModelName,
} from '../../brands/models/model-policy.ts'
import { verifyChain } from '../../brands/trust/trust.ts'
import type { Details } from '../../change.ts'
import { RequestError, registrationRefused } from '../../errors.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { Device } from '../device.ts'
import type { SerialUse } from '../device-store.ts'
import { explainedAsync } from '../explained.ts'
import { checkHardware } from './check-hardware.ts'
import { proposedSerial, type Registration } from './read-registration.ts'

/**
 * Strings that firmware contains if the maker never programmed a serial number, so they identify no unit: lower-case,
 * without separators, from SMBIOS tables, and from scripts that print an absent value.
 */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  ...['none', 'null', 'nil', 'nan', 'undefined', 'unknown', 'empty', 'invalid', 'default', 'defaultstring'],
  ...['na', 'notapplicable', 'notavailable', 'notspecified', 'notset', 'notprovided', 'unspecified'],
  ...['tobefilledbyoem', 'tobefilled', 'filledbyoem', 'oem', 'tbd', 'todo', 'placeholder', 'noserial'],
  ...['serial', 'serialnumber', 'systemserialnumber', 'chassisserialnumber', 'baseboardserialnumber'],
  ...['boardserialnumber', 'systemserial', 'serialno', 'serialnum', 'productserial', 'productserialnumber'],
  'noserialnumber',
  ...['0123456789', '1234567890', '123456789', '0123456789abcdef', '123456789abcdef', 'abcdefghij'],
  // The UUID of boards whose BIOS has no UUID.
  '03000200040005000006000700080009',
])

/** Six or more of one character are not a number that a factory has reached; of zeros, any number. */
const SAME_CHARACTER = /^(?:0x)?(?:0+|(.)\1{5,})$/u

function isPlaceholderSerial(text: string): boolean {
  const bare = text.toLowerCase().replace(/[\s._:+/\\()<>[\]-]+/g, '')
  return bare === '' || PLACEHOLDERS.has(bare) || SAME_CHARACTER.test(bare)
}

/** A new device that the policy allows. */
export interface AllowedDevice {
  readonly registration: Registration
  readonly model: OpenModel
  /** The serial number it will get; undefined if the service generates one. */
  readonly proposed: string | undefined
  /** The placeholder that unprogrammed firmware sent instead of a serial number. */
  readonly placeholder: string | undefined
  /** The use of the proposed number when it was looked up. */
  readonly use: SerialUse | undefined
  /** The key of the board that signed the request-id; undefined if the model doesn't require one. */
  readonly hardwareKeyId: string | undefined
}

/** Throws `registration-refused`, `invalid-api-key` or `invalid-assertion`. */
export async function checkPolicy(
  registration: Registration,
  model: OpenModel,
  stores: Stores,
): Promise<AllowedDevice> {
  const { request, original } = registration
  const { policy } = model
  // The API key is checked first: without one, the answer reveals nothing.
  if (registration.apiKey !== undefined || model.needsApiKey) {
    const verdict = await checkApiKey({ text: registration.apiKey, model }, stores, stores.clock())
    if (!verdict.accepted) throw new RequestError('invalid-api-key', verdict.message)
  }
  const placeholder = await placeholderIn(registration, model, stores)
  const proposed = proposedSerial(request, policy.proposedSerial, placeholder)
  const use = proposed === undefined ? undefined : await lookUp(proposed, registration, model, stores)
  const device = { serial: proposed ?? null, deviceKeyId: request.fields.deviceKeyId }
  if (policy.registration === 'allow-list' && !(await stores.allowList.has(model, device))) {
    const number = proposed === undefined ? '' : `the serial number ${proposed} or `
    throw registrationRefused(
      `This device is not on the allow-list of its model. Ask the operator to import ${number}the device key ${device.deviceKeyId}.`,
    )
  }
  const hardwareKeyId = policy.hardwareIdentity ? await checkHardware(request, stores) : undefined
  if (original) await checkRemodel(original, model, stores)
  return { registration, model, proposed, placeholder, use, hardwareKeyId }
}

/**
 * Returns the audit details that come from the device: the board that signed the request-id, which can do so for
 * several keys (docs/decisions/0033), and the placeholder that its firmware sent instead of a serial number.
 */
export const broughtBy = ({ hardwareKeyId, placeholder }: AllowedDevice): Details => ({
  ...(hardwareKeyId === undefined ? {} : { 'hardware-key': hardwareKeyId }),
  // Cut at whole characters, which the console shows.
  ...(placeholder === undefined ? {} : { 'ignored-serial': [...placeholder].slice(0, 64).join('') }),
})

/** Returns undefined if the operator put the placeholder on the allow-list: it is then a number like any other. */
async function placeholderIn(
  { request: { fields } }: Registration,
  model: OpenModel,
  { allowList }: TransactionStores,
): Promise<string | undefined> {
  const { serial, deviceKeyId } = fields
  if (!serial || model.policy.proposedSerial === 'ignored' || !isPlaceholderSerial(serial)) return undefined
  if (serial.includes('\0')) return serial
  // An entry for the key alone doesn't allow the number.
  const listed = (serial: string | null, key: string) => allowList.has(model, { serial, deviceKeyId: key })
  const isGiven =
    (await listed(serial, '')) || ((await listed(serial, deviceKeyId)) && !(await listed(null, deviceKeyId)))
  return isGiven ? undefined : serial
}

/**
 * Counts one use of the API key, in the transaction that stores the device. Returns the id of the key, for the audit
 * log. Without a key there is nothing to count: `policyStillAllows` checks whether the model now needs one. Throws
 * `invalid-api-key`.
 */
export async function countApiKeyUse(
  { registration, model }: AllowedDevice,
  at: Date,
  stores: TransactionStores,
): Promise<Details> {
  if (registration.apiKey === undefined) return {}
  const verdict = await useApiKey({ text: registration.apiKey, model }, stores, at)
  if (!verdict.accepted) throw new RequestError('invalid-api-key', verdict.message)
  return verdict.key ? { 'api-key': verdict.key.id } : {}
}

/**
 * Checks whether the policy still allows a new device when it is stored, since it may have waited for its
 * signature. Call it in the transaction, after every statement that can wait for a lock, so that earlier
 * changes by the operator apply to this device. The model can't be removed until the transaction ends. If it
 * returns false, check everything again.
 */
export async function policyStillAllows(
  { registration: { request, original, apiKey }, model, proposed }: AllowedDevice,
  stores: TransactionStores,
): Promise<boolean> {
  const { models, allowList } = stores
  const now = await models.hold(model)
  if (!now || !isDeepStrictEqual(now.policy, model.policy)) return false
  if (now.needsApiKey && apiKey === undefined) return false
  const device = { serial: proposed ?? null, deviceKeyId: request.fields.deviceKeyId }
  if (model.policy.registration === 'allow-list' && !(await allowList.has(model, device))) return false
  return !original || (await whyNoRemodel(original, model, stores)) === undefined
}

/** Finds the holder of the proposed number. Records a second key for it even if the request is refused. */
async function lookUp(
  serial: string,
  { request, caller }: Registration,
  { brandId, model }: StoredModel,
  { devices, clones, clock }: Stores,
): Promise<SerialUse> {
  const { deviceKeyId } = request.fields
  const use = await devices.findUse({ brandId, model, serial })
  if (use.holder && use.holder.deviceKeyId !== deviceKeyId) {
    await clones.record({
      deviceId: use.holder.id,
      bucket: use.holder.bucket,
      kind: 'second-key',
      subject: deviceKeyId,
      details: { address: caller.address, 'user-agent': caller.userAgent },
      at: clock(),
    })
  }
  return use
}

/**
 * `original` is the serial of the same device key. Another service may have signed it, if its chain reaches a trusted
 * root. If the device is in the register, it must be active. Throws `registration-refused` or `invalid-assertion`.
 */
async function checkRemodel(
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
async function whyNoRemodel(
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
