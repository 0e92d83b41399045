/**
 * Gives a device its serial assertion: the number is chosen, the assertion signed, and only then everything stored in
 * one transaction. Whoever loses a race throws the signature away, so nothing is ever half done.
 */
import { encode, type UnverifiedAssertion } from '@ratafia/assertions'
import { type SignedSerial, signSerial } from '../../brands/keys/sign-serial.ts'
import type { SignerDeps } from '../../brands/keys/signer-for.ts'
import { generateSerial } from '../../brands/models/generate-serial.ts'
import type { StoredModel } from '../../brands/models/model-policy.ts'
import type { ModelStore } from '../../brands/models/model-store.ts'
import type { Changing, Recording } from '../../change.ts'
import { Unavailable } from '../../errors.ts'
import type { Device, SerialAssertion, SerialName } from '../device.ts'
import type { Decision, DeviceStore } from '../device-store.ts'
import { LostRace, won } from '../lost-race.ts'
import { givesWay, supersededBy } from '../serial-holder.ts'
import type { RegisterStores } from './register-stores.ts'

export interface IssueDeps extends SignerDeps {
  readonly devices: Pick<DeviceStore, 'findHolder' | 'findBySerial' | 'findSerialAssertion'>
  readonly models: Pick<ModelStore, 'takeNumber'>
  readonly change: Changing<RegisterStores>
}

/** A serial number that may be given, and what has to give way for it. */
export interface SerialPlan extends SerialName {
  /** 0 for the first assertion of this serial number. */
  readonly revision: number
  /** The active device whose place the new key takes. */
  readonly holder: Device | undefined
}

/** The serial number belongs to this device, and the policy (or what became of it) keeps it there. */
export interface SerialTaken {
  readonly taken: Device
}

/** Numbers of a template that devices proposed before are skipped; this many in one request. */
const SKIPPED_NUMBERS = 100

/** Looks what may be given now; `proposed` is undefined where the service makes the number. */
export async function planSerial(
  { model, proposed }: { readonly model: StoredModel; readonly proposed: string | undefined },
  deps: IssueDeps,
): Promise<SerialPlan | SerialTaken> {
  if (proposed === undefined) return planNewNumber(model, deps)
  const name = { brandId: model.brandId, model: model.model, serial: proposed }
  const holder = await deps.devices.findHolder(name)
  if (holder && !givesWay(holder, model.policy)) return { taken: holder }
  return { ...name, holder, revision: await nextRevision(name, holder, deps) }
}

async function planNewNumber(model: StoredModel, deps: IssueDeps): Promise<SerialPlan> {
  for (let attempt = 0; attempt < SKIPPED_NUMBERS; attempt++) {
    const serial = await generateSerial(model, deps)
    const name = { brandId: model.brandId, model: model.model, serial }
    const used = (await deps.devices.findHolder(name)) ?? (await deps.devices.findSerialAssertion(name))
    if (!used) return { ...name, holder: undefined, revision: 0 }
  }
  // They are skipped for good: the retry goes on from here.
  throw new Unavailable(`${SKIPPED_NUMBERS} numbers of ${model.brandId}/${model.model} in a row are taken`)
}

async function nextRevision(
  name: SerialName,
  holder: Device | undefined,
  { devices }: Pick<IssueDeps, 'devices'>,
): Promise<number> {
  const newest = await devices.findSerialAssertion(name)
  // Who had it before counts too: of what was imported there is no assertion.
  const rows = holder ? [holder] : await devices.findBySerial(name)
  return Math.max(newest?.revision ?? -1, ...rows.map(({ revision }) => revision ?? -1)) + 1
}

export interface SerialIssue {
  readonly plan: SerialPlan
  /** Verified to be signed with the device key in it; its body becomes that of the serial. */
  readonly request: UnverifiedAssertion<'serial-request'>
  readonly at: Date
  /** Looked at before anything is stored. */
  readonly check?: (signed: SignedSerial) => void
  /**
   * Puts the row of the device into the register, with the serial and the revision of the plan, and whatever else
   * belongs to it, and records what it did. Throws {@link LostRace} when it cannot.
   */
  readonly enter: (stores: RegisterStores & Recording) => Promise<Device>
}

export interface IssuedSerial {
  readonly device: Device
  readonly assertion: SerialAssertion
}

/**
 * Signs, then stores: the holder gives way, the device enters, its assertion is kept. Undefined when a race was lost:
 * nothing is stored, and the caller looks again. Throws what `signSerial` and `enter` throw.
 */
export async function issueSerial(
  { plan, request, at, check, enter }: SerialIssue,
  deps: IssueDeps,
): Promise<IssuedSerial | undefined> {
  const { brandId, model, serial, revision, holder } = plan
  const { deviceKey } = request.fields
  const body = request.body.length > 0 ? { body: request.body } : {}
  const signed = await signSerial({ brandId, model, serial, deviceKey, revision, ...body }, deps)
  check?.(signed)
  try {
    return await deps.change(async (stores) => {
      if (holder) {
        won(await stores.devices.supersede(holder.id, superseding(request, at)))
        await stores.record(supersededBy(holder, deviceKey.id))
      }
      const device = await enter(stores)
      const assertion = {
        brandId,
        model,
        serial,
        revision,
        deviceId: device.id,
        encoded: encode(signed.assertion),
        authorityId: signed.signer.authorityId,
        signingKeyId: signed.assertion.signKeyId,
      }
      won(await stores.devices.addSerialAssertion(assertion, at))
      // Last: a key that was disabled meanwhile signs nothing more.
      won(await stores.brands.mayUse(assertion.signingKeyId))
      return { device, assertion }
    })
  } catch (error) {
    if (error instanceof LostRace) return undefined
    throw error
  }
}

const superseding = ({ fields }: UnverifiedAssertion<'serial-request'>, at: Date): Decision => ({
  at,
  by: 'policy',
  reason: `The serial number was issued again, to the device key ${fields.deviceKeyId}.`,
})
