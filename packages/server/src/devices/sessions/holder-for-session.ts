/**
 * Finds the device that has the serial number that a session is requested for. The register decides. A device
 * whose serial was signed elsewhere enters the register here; with a higher revision, it gets the serial from
 * another device key.
 */
import type { TrustedAssertion } from '@ratafia/assertions'
import type { InChange } from '../../change.ts'
import { deviceRefused } from '../../errors.ts'
import type { TransactionStores } from '../../stores.ts'
import type { Device } from '../device.ts'
import { LostRace, won } from '../lost-race.ts'
import { newDevice } from '../new-device.ts'
import { givenSerial, serialAssertion, supersedeHolder } from '../serials/serial-holder.ts'
import { whyNoSession } from './device-session.ts'

export interface SessionHolder {
  readonly device: Device
  /** Stores the serial's changes to the register, before the session, if there are any. Throws `LostRace`. */
  readonly enter: ((stores: InChange) => Promise<void>) | undefined
}

interface Asked {
  readonly serial: TrustedAssertion<'serial'>
  /** The active or revoked device with this serial number and device key. */
  readonly own: Device | undefined
  readonly at: Date
}

/** Only reads. Throws `device-refused`, and `LostRace`. */
export async function holderForSession(asked: Asked, { devices }: TransactionStores): Promise<SessionHolder> {
  const { serial, own } = asked
  if (own) {
    requireMayHaveSession(own)
    return keepNewer(own, asked)
  }
  const other = await devices.findByKey(serial.fields)
  if (other && other.status !== 'superseded') {
    requireMayHaveSession(other)
    // The device got the serial between the two queries.
    if (other.serial === serial.fields.serial) throw new LostRace()
    throw deviceRefused(`The device key has a different serial of this model, ${other.serial}. Use that one.`)
  }
  const holder = await devices.findHolder(serial.fields)
  if (holder?.deviceKeyId === serial.fields.deviceKeyId) throw new LostRace()
  if (holder) requireGivesWay(holder, serial)
  return enterNew(asked, holder)
}

function enterNew({ serial, at }: Asked, holder: Device | undefined): SessionHolder {
  const { brandId, model, serial: number, deviceKeyId } = serial.fields
  const { revision } = serial
  const decided = { status: 'active', registeredAt: at, decidedAt: at, decidedBy: 'policy' } as const
  const named = { brandId, model, serial: number, deviceKeyId, revision }
  const device = newDevice({ ...named, origin: 'session', ...decided })
  const enter = async (stores: InChange) => {
    const { devices, record } = stores
    const reason = `The device key ${deviceKeyId} presented a serial assertion of revision ${revision}.`
    if (holder) await supersedeHolder(holder, { deviceKeyId, at, reason }, stores)
    won(await devices.add(device))
    await devices.addSerialAssertion(serialAssertion(serial, device), at)
    await record({ action: 'device.enter', subject: device.id, details: givenSerial(device) })
  }
  return { device, enter }
}

function keepNewer(holder: Device, { serial, at }: Asked): SessionHolder {
  const { revision } = serial
  if (holder.revision !== null && revision <= holder.revision) return { device: holder, enter: undefined }
  const device = { ...holder, revision }
  const enter = async ({ devices, record }: InChange) => {
    won(await devices.setRevision(holder, revision))
    await devices.addSerialAssertion(serialAssertion(serial, holder), at)
    await record({ action: 'device.update', subject: holder.id, details: givenSerial(device) })
  }
  return { device, enter }
}

function requireMayHaveSession(device: Device): void {
  const why = whyNoSession(device)
  if (why !== undefined) throw deviceRefused(why)
}

/** A revoked or quarantined device keeps its serial: otherwise it could escape with a new key. */
function requireGivesWay(holder: Device, { revision, fields }: TrustedAssertion<'serial'>): void {
  requireMayHaveSession(holder)
  // An import without an assertion leaves the revision unknown. The holder then keeps the serial.
  if (holder.revision === null || revision <= holder.revision) {
    throw deviceRefused(
      `The serial ${fields.serial} has a different device key: this one is superseded. Register the device again, or ask its operator.`,
    )
  }
}
