/**
 * Who holds the serial number of a session's request? The register is the truth. A device whose serial somebody else
 * signed enters it here; one whose serial has a higher revision takes the place of the device key before it.
 */
import { newDeviceId } from '@ratafia/api'
import { encode, type TrustedAssertion } from '@ratafia/assertions'
import type { Recording } from '../../change.ts'
import { RequestError } from '../../errors.ts'
import type { Device } from '../device.ts'
import type { DeviceStore } from '../device-store.ts'
import { LostRace, won } from '../lost-race.ts'
import { givenSerial, supersededBy } from '../serial-holder.ts'
import { whyNoSession } from './device-session.ts'

interface AdmitDeps {
  /** On a transaction: what is changed here stands or falls with the session. */
  readonly devices: DeviceStore
  readonly record: Recording['record']
}

/** Throws {@link RequestError} `device-refused`, and `LostRace`. */
export async function admit(
  { serial, at }: { readonly serial: TrustedAssertion<'serial'>; readonly at: Date },
  { devices, record }: AdmitDeps,
): Promise<Device> {
  const { deviceKeyId } = serial.fields
  const holder = await devices.findHolder(serial.fields)
  if (holder?.deviceKeyId === deviceKeyId) {
    requireAdmitted(holder)
    return keepNewer(holder, { serial, at }, { devices, record })
  }
  const own = await devices.findByKey(serial.fields)
  if (own && own.status !== 'superseded') {
    requireAdmitted(own)
    // It became the holder between the two looks.
    if (own.serial === serial.fields.serial) throw new LostRace()
    throw refused(`The device key has another serial of this model, ${own.serial}. Use that one.`)
  }
  if (holder) {
    requireGivesWay(holder, serial)
    const reason = `A serial assertion of revision ${serial.revision} came with the device key ${deviceKeyId}.`
    won(await devices.supersede(holder.id, { at, by: 'policy', reason }))
    await record(supersededBy(holder, deviceKeyId))
  }
  const device = newcomer(serial, at)
  won(await devices.add(device))
  await devices.addSerialAssertion(rowOf(device, serial), at)
  await record({ action: 'device.enter', subject: device.id, details: givenSerial(device) })
  return device
}

async function keepNewer(
  holder: Device,
  { serial, at }: { readonly serial: TrustedAssertion<'serial'>; readonly at: Date },
  { devices, record }: AdmitDeps,
): Promise<Device> {
  if (holder.revision !== null && serial.revision <= holder.revision) return holder
  won(await devices.setRevision(holder.id, serial.revision))
  await devices.addSerialAssertion(rowOf(holder, serial), at)
  const newer = { ...holder, revision: serial.revision }
  await record({ action: 'device.update', subject: holder.id, details: givenSerial(newer) })
  return newer
}

function requireAdmitted(device: Device): void {
  const why = whyNoSession(device)
  if (why !== undefined) throw refused(why)
}

/** A device that is revoked or in quarantine keeps its serial: with another key it would be out of it. */
function requireGivesWay(holder: Device, { revision, fields }: TrustedAssertion<'serial'>): void {
  requireAdmitted(holder)
  // Of an import without an assertion nobody knows the revision, and then the row stands.
  if (holder.revision === null || revision <= holder.revision) {
    throw refused(
      `The serial ${fields.serial} has another device key: this one is superseded. Register the device again, or ask its operator.`,
    )
  }
}

function newcomer(serial: TrustedAssertion<'serial'>, at: Date): Device {
  const { brandId, model, serial: number, deviceKeyId } = serial.fields
  return {
    id: newDeviceId(),
    brandId,
    model,
    serial: number,
    deviceKeyId,
    status: 'active',
    revision: serial.revision,
    origin: 'session',
    original: null,
    registeredAt: at,
    decidedAt: at,
    decidedBy: 'policy',
    reason: null,
    quarantinedAt: null,
  }
}

function rowOf(device: Device, serial: TrustedAssertion<'serial'>) {
  const { brandId, model, serial: number } = serial.fields
  return {
    brandId,
    model,
    serial: number,
    revision: serial.revision,
    deviceId: device.id,
    encoded: encode(serial),
    // Types with an authority have one.
    authorityId: serial.authorityId ?? brandId,
    signingKeyId: serial.signKeyId,
  }
}

const refused = (why: string): RequestError => new RequestError('device-refused', why)
