/**
 * Which device has the serial number that a session is requested for? The register decides. A device whose serial was
 * signed elsewhere enters the register here; with a higher revision, it takes the serial over from another device key.
 */
import type { TrustedAssertion } from '@ratafia/assertions'
import type { Recording } from '../../change.ts'
import { deviceRefused } from '../../errors.ts'
import type { Device } from '../device.ts'
import type { DeviceStore } from '../device-store.ts'
import { LostRace, won } from '../lost-race.ts'
import { newDevice } from '../new-device.ts'
import { serialAssertion } from '../serial-assertion.ts'
import { givenSerial, supersededBy } from '../serial-holder.ts'
import { whyNoSession } from './device-session.ts'

interface HolderDeps {
  /** On the transaction that opens the session. */
  readonly devices: DeviceStore
  readonly record: Recording['record']
}

/** Throws `RequestError` `device-refused`, and `LostRace`. */
export async function holderForSession(
  { serial, at }: { readonly serial: TrustedAssertion<'serial'>; readonly at: Date },
  { devices, record }: HolderDeps,
): Promise<Device> {
  const { deviceKeyId } = serial.fields
  const holder = await devices.findHolder(serial.fields)
  if (holder?.deviceKeyId === deviceKeyId) {
    requireMayHaveSession(holder)
    return keepNewer(holder, { serial, at }, { devices, record })
  }
  const own = await devices.findByKey(serial.fields)
  if (own && own.status !== 'superseded') {
    requireMayHaveSession(own)
    // It became the holder between the two queries.
    if (own.serial === serial.fields.serial) throw new LostRace()
    throw deviceRefused(`The device key has another serial of this model, ${own.serial}. Use that one.`)
  }
  if (holder) {
    requireGivesWay(holder, serial)
    const reason = `A serial assertion of revision ${serial.revision} came with the device key ${deviceKeyId}.`
    won(await devices.supersede(holder.id, { at, by: 'policy', reason }))
    await record(supersededBy(holder, deviceKeyId))
  }
  const { brandId, model, serial: number } = serial.fields
  const { revision } = serial
  const decided = { status: 'active', registeredAt: at, decidedAt: at, decidedBy: 'policy' } as const
  const device = newDevice({
    brandId,
    model,
    serial: number,
    deviceKeyId,
    revision,
    origin: 'session',
    ...decided,
  })
  won(await devices.add(device))
  await devices.addSerialAssertion(serialAssertion(serial, device), at)
  await record({ action: 'device.enter', subject: device.id, details: givenSerial(device) })
  return device
}

async function keepNewer(
  holder: Device,
  { serial, at }: { readonly serial: TrustedAssertion<'serial'>; readonly at: Date },
  { devices, record }: HolderDeps,
): Promise<Device> {
  if (holder.revision !== null && serial.revision <= holder.revision) return holder
  won(await devices.setRevision(holder.id, serial.revision))
  await devices.addSerialAssertion(serialAssertion(serial, holder), at)
  const newer = { ...holder, revision: serial.revision }
  await record({ action: 'device.update', subject: holder.id, details: givenSerial(newer) })
  return newer
}

function requireMayHaveSession(device: Device): void {
  const why = whyNoSession(device)
  if (why !== undefined) throw deviceRefused(why)
}

/** A revoked or quarantined device keeps its serial: otherwise a new key would be a way out. */
function requireGivesWay(holder: Device, { revision, fields }: TrustedAssertion<'serial'>): void {
  requireMayHaveSession(holder)
  // An import without an assertion leaves the revision unknown: then the holder keeps the serial.
  if (holder.revision === null || revision <= holder.revision) {
    throw deviceRefused(
      `The serial ${fields.serial} has another device key: this one is superseded. Register the device again, or ask its operator.`,
    )
  }
}
