/** Whether the policy of its model allows a new device: API key, serial number, allow-list, hardware, remodel. */
import { isDeepStrictEqual } from 'node:util'
import { checkApiKey, useApiKey } from '../../brands/models/api-keys/use-api-key.ts'
import type { OpenModel, StoredModel } from '../../brands/models/model-policy.ts'
import type { Details } from '../../change.ts'
import { RequestError, registrationRefused } from '../../errors.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { SerialUse } from '../device-store.ts'
import { checkHardware } from './check-hardware.ts'
import { checkRemodel, whyNoRemodel } from './check-remodel.ts'
import { proposedSerial, type Registration } from './read-registration.ts'

/** What firmware says whose maker never programmed a serial number. Many units share it, so it names none of them. */

/** In lower case, without what separates words: from SMBIOS tables and scripts that print an absent value. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  ...['none', 'null', 'nil', 'nan', 'undefined', 'unknown', 'empty', 'invalid', 'default', 'defaultstring'],
  ...[
    'na',
    'notapplicable',
    'notavailable',
    'notspecified',
    'notset',
    'notprovided',
    'unspecified',
    'noserial',
  ],
  ...['tobefilledbyoem', 'tobefilled', 'filledbyoem', 'oem', 'tbd', 'todo', 'placeholder', 'noserialnumber'],
  ...['serial', 'serialnumber', 'systemserialnumber', 'chassisserialnumber', 'baseboardserialnumber'],
  ...['boardserialnumber', 'systemserial', 'serialno', 'serialnum', 'productserial', 'productserialnumber'],
  ...['0123456789', '1234567890', '123456789', '0123456789abcdef', '123456789abcdef', 'abcdefghij'],
  // The UUID of boards whose BIOS has none.
  '03000200040005000006000700080009',
])

/** So many of one character are no count that a factory has reached. Of zeros, any number. */
const SAME_CHARACTER = /^(?:0x)?(?:0+|(.)\1{5,})$/u

function isPlaceholderSerial(text: string): boolean {
  const bare = text.toLowerCase().replace(/[\s._:+/\\()<>[\]-]+/g, '')
  return bare === '' || PLACEHOLDERS.has(bare) || SAME_CHARACTER.test(bare)
}

/** A new device that the policy allows. */
export interface AllowedDevice {
  readonly registration: Registration
  /** With the policy that allowed it. */
  readonly model: OpenModel
  /** The serial number it will get; undefined if the service makes one. */
  readonly proposed: string | undefined
  /** What unprogrammed firmware said instead of a serial number; undefined if it proposed one, or nothing. */
  readonly placeholder: string | undefined
  /** What was given under the proposed number when it was looked up. */
  readonly use: SerialUse | undefined
  /** Of the board that vouched for it, as {@link checkHardware} says; undefined if the model asks for none. */
  readonly hardwareKeyId: string | undefined
}

/** Throws {@link RequestError} `registration-refused`, `invalid-api-key` or `invalid-assertion`. */
export async function checkPolicy(
  registration: Registration,
  model: OpenModel,
  stores: Stores,
): Promise<AllowedDevice> {
  const { request, original } = registration
  const { policy } = model
  // Check the API key first: without one, reveal nothing.
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
 * The audit details of what the device brought: the board that vouched, which may vouch for several keys
 * (docs/decisions/0033), and what its firmware said instead of a serial number.
 */
export const broughtBy = ({ hardwareKeyId, placeholder }: AllowedDevice): Details => ({
  ...(hardwareKeyId === undefined ? {} : { 'hardware-key': hardwareKeyId }),
  // Whole characters, which the console shows.
  ...(placeholder === undefined ? {} : { 'ignored-serial': [...placeholder].slice(0, 64).join('') }),
})

/** Undefined, too, for one that the operator has put on the allow-list: then it is a number like any other. */
async function placeholderIn(
  { request: { fields } }: Registration,
  model: OpenModel,
  { allowList }: TransactionStores,
): Promise<string | undefined> {
  const { serial, deviceKeyId } = fields
  if (!serial || model.policy.proposedSerial === 'ignored' || !isPlaceholderSerial(serial)) return undefined
  if (serial.includes('\0')) return serial
  // An entry for the key alone says nothing about the number.
  const listed = (serial: string | null, key: string) => allowList.has(model, { serial, deviceKeyId: key })
  const isGiven =
    (await listed(serial, '')) || ((await listed(serial, deviceKeyId)) && !(await listed(null, deviceKeyId)))
  return isGiven ? undefined : serial
}

/**
 * Counts one use of the API key, on the transaction that stores the device. Returns the id of the key, for the audit
 * log. Without a key there is nothing to count: `policyStillAllows` looks whether the model needs one by now. Throws
 * {@link RequestError} `invalid-api-key`.
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
 * Whether the policy still allows a new device when it is stored: it may have waited for its signature. Call it in the
 * transaction, after every statement that may wait for a lock: what the operator took away before then applies to this
 * device too. Nobody removes the model until the transaction ends. False: check everything again.
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

/**
 * Who has the proposed number? A second key for it is recorded even if the request is refused: a clone would show one.
 */
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
