/**
 * The steps that every way to a serial shares: plan the number, sign the assertion, then store everything in one
 * transaction. The loser of a race throws its signature away, and nothing is ever half done (decision 0018).
 */
import type { UnverifiedAssertion } from '@ratafia/assertions'
import { type SignedSerial, signSerial } from '../../brands/keys/sign-serial.ts'
import { generateSerial } from '../../brands/models/generate-serial.ts'
import type { StoredModel } from '../../brands/models/model-policy.ts'
import type { AuthoredStores, Recording } from '../../change.ts'
import { Unavailable } from '../../errors.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { Device, SerialAssertion, SerialName } from '../device.ts'
import type { SerialUse } from '../device-store.ts'
import { won } from '../lost-race.ts'
import { serialAssertion } from '../serials/serial-assertion.ts'
import { givesWay, supersededBy } from '../serials/serial-holder.ts'

/** A serial number that can be given, and the device that loses it. */
export interface SerialPlan extends SerialName {
  /** 0 for the first assertion of this serial number. */
  readonly revision: number
  /** The active device whose place the new key takes. */
  readonly holder: Device | undefined
}

/** The device that has the serial number and keeps it, because of the policy or its status. */
export interface SerialTaken {
  readonly taken: Device
}

/** How many numbers of a template one request skips at most, because devices have proposed them before. */
const SKIPPED_NUMBERS = 100

interface ToPlan {
  readonly model: StoredModel
  readonly proposed: string | undefined
  /** Of the proposed number, if it was read a moment ago. */
  readonly use?: SerialUse | undefined
}

/** Which serial number can be given now? Without `proposed`, the service makes one. */
export async function planSerial(
  { model, proposed, use }: ToPlan,
  deps: AuthoredStores,
): Promise<SerialPlan | SerialTaken> {
  if (proposed === undefined) return planNewNumber(model, deps)
  const name = { brandId: model.brandId, model: model.model, serial: proposed }
  const { holder, revision } = use ?? (await deps.devices.findUse(name))
  if (holder && !givesWay(holder, model.policy)) return { taken: holder }
  return { ...name, holder, revision: revision === undefined ? 0 : revision + 1 }
}

async function planNewNumber(model: StoredModel, deps: AuthoredStores): Promise<SerialPlan> {
  for (let attempt = 0; attempt < SKIPPED_NUMBERS; attempt++) {
    const serial = await generateSerial(model, deps)
    const plan = { brandId: model.brandId, model: model.model, serial, holder: undefined, revision: 0 }
    // Nobody has proposed a new UUID; if somebody had, the constraints would find out.
    if (model.policy.serialTemplate === null) return plan
    const { holder, revision } = await deps.devices.findUse(plan)
    if (!holder && revision === undefined) return plan
  }
  // The counter keeps its place: a retry goes on from here.
  throw new Unavailable(`${SKIPPED_NUMBERS} numbers of ${model.brandId}/${model.model} in a row are taken`)
}

/**
 * `request` is verified to be signed with the device key in it; the serial repeats its body. Throws as `signSerial`.
 */
export function signPlanned(
  { brandId, model, serial, revision }: SerialPlan,
  request: UnverifiedAssertion<'serial-request'>,
  deps: Stores,
): Promise<SignedSerial> {
  const { deviceKey } = request.fields
  const body = request.body.length > 0 ? { body: request.body } : {}
  return signSerial({ brandId, model, serial, deviceKey, revision, ...body }, deps)
}

/** On the transaction, before the serial goes to another key. Throws `LostRace` if the holder is no longer active. */
export async function supersedeHolder(
  { holder }: SerialPlan,
  { deviceKeyId, at }: { readonly deviceKeyId: string; readonly at: Date },
  { devices, record }: TransactionStores & Recording,
): Promise<void> {
  if (!holder) return
  const reason = `The serial number was issued again, to the device key ${deviceKeyId}.`
  won(await devices.supersede(holder, { at, by: 'policy', reason }))
  await record(supersededBy(holder, deviceKeyId))
}

/** On the transaction, after everything else. Throws `LostRace` if the signing key was disabled meanwhile. */
export async function storeSerial(
  { assertion: signed }: SignedSerial,
  { device, at }: { readonly device: Device; readonly at: Date },
  { devices, brands }: TransactionStores,
): Promise<SerialAssertion> {
  const assertion = serialAssertion(signed, device)
  won(await devices.addSerialAssertion(assertion, at))
  won(await brands.mayUse(assertion.signingKeyId))
  return assertion
}
