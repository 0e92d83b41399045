/**
 * Takes over devices whose serials another service signed: names, keys and revisions, without the assertions. The first
 * registration here signs the next revision; a session opened with a serial of the other service stores that serial.
 */
import { type DeviceId, newDeviceId } from '@ratafia/api'
import { type Authority, requireForAll } from '../../authority.ts'
import { Unavailable } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { CloneEvidence } from '../clones/clone-evidence.ts'
import { type Device, type DeviceRef, type SerialName, showSerialName } from '../device.ts'
import { deviceRef, newDevice } from '../new-device.ts'
import { hasSerial } from '../serials/serial-holder-store.ts'
import type { RegisterImport } from './device-transfer-store.ts'

interface ImportOptions {
  /** The other service's name: `decided_by` of the rows. */
  readonly source: string
  /** Does everything and rolls it back. */
  readonly dryRun: boolean
  readonly authority: Authority
  readonly onProgress?: (done: number, total: number) => void
}

const BATCH = 500

/** Imports all devices or none, in one transaction. A second import changes nothing. Throws `permission-denied`. */
export async function importSignedDevices(
  all: readonly SignedDevice[],
  { source, dryRun, authority, onProgress }: ImportOptions,
  { inImport, clock }: Stores,
): Promise<ImportedSigned> {
  requireForAll(authority, 'devices:manage')
  let counts: ImportedSigned | undefined
  try {
    return await inImport(authority.author)(async ({ register, record }) => {
      const work = new SignedImport(source, register)
      // Superseded devices come first, so that their serials are free for the present holders.
      let done = 0
      for (const phase of inOrder(all, clock())) {
        for (let start = 0; start < phase.length; start += BATCH) {
          const batch = phase.slice(start, start + BATCH)
          await work.take(batch)
          done += batch.length
          onProgress?.(done, all.length)
        }
      }
      counts = await work.finish()
      if (dryRun) throw new RolledBack()
      const { conflicts, unchanged, ...changed } = counts
      if (Object.values(changed).some((count) => count > 0)) {
        const details = { ...changed, unchanged, conflicts: conflicts.length }
        await record({ action: 'devices.import-serial-vault', subject: source, details })
      }
      return counts
    })
  } catch (error) {
    if (error instanceof RolledBack && counts) return counts
    throw error
  }
}

class RolledBack extends Error {}

/** Returns superseded devices, then active ones; ids sort in the order of the signatures. */
function inOrder(all: readonly SignedDevice[], at: Date): readonly (readonly NumberedDevice[])[] {
  const numbered = all
    .toSorted((one, other) => one.firstSignedAt.getTime() - other.firstSignedAt.getTime())
    .map((signed) => ({ id: newDeviceId(at), signed }))
  return [
    numbered.filter(({ signed }) => signed.gaveWayTo),
    numbered.filter(({ signed }) => !signed.gaveWayTo),
  ]
}

export interface SignedDevice extends SerialName {
  readonly deviceKeyId: string
  /** The revision of the last signature. */
  readonly revision: number
  readonly firstSignedAt: Date
  readonly signedAt: Date
  /** The device that now has the serial, or the serial that now has the key, in the other service. */
  readonly gaveWayTo?: SignedDevice
}

export interface ImportedSigned {
  readonly active: number
  readonly superseded: number
  /** Existing rows that changed: they have a different revision, or another key got their serial. */
  readonly updated: number
  readonly unchanged: number
  /** A sentence for each device whose record contradicts the register, which stays unchanged. */
  readonly conflicts: readonly string[]
}

interface NumberedDevice {
  readonly id: DeviceId
  readonly signed: SignedDevice
}

const nameOf = (device: SignedDevice): string => `${showSerialName(device)} ${device.deviceKeyId}`

const isOfModel = (device: Device, signed: SignedDevice): boolean =>
  device.brandId === signed.brandId && device.model === signed.model

class SignedImport {
  readonly #source: string
  readonly #register: RegisterImport
  readonly #conflicts: string[] = []
  /** The row of each device, by `nameOf`. */
  readonly #ids = new Map<string, DeviceId>()
  readonly #gaveWay: { readonly signed: SignedDevice; readonly to: SignedDevice }[] = []
  readonly #evidence: CloneEvidence[] = []
  readonly #counts = { active: 0, superseded: 0, updated: 0, unchanged: 0 }

  constructor(source: string, register: RegisterImport) {
    this.#source = source
    this.#register = register
  }

  async take(batch: readonly NumberedDevice[]): Promise<void> {
    const bySerial = Map.groupBy(
      await this.#register.bySerials(batch.map(({ signed }) => signed.serial)),
      ({ serial }) => serial,
    )
    const byKey = Map.groupBy(
      await this.#register.byKeys(batch.map(({ signed }) => signed.deviceKeyId)),
      ({ deviceKeyId }) => deviceKeyId,
    )
    const fresh: Device[] = []
    for (const { id, signed } of batch) {
      const ofModel = (rows: readonly Device[] = []) => rows.filter((row) => isOfModel(row, signed))
      const serials = ofModel(bySerial.get(signed.serial))
      const keys = ofModel(byKey.get(signed.deviceKeyId))
      const device = await this.#decide(id, signed, serials, keys)
      if (device) fresh.push(device)
      this.#ids.set(nameOf(signed), device?.id ?? serials.find(isOf(signed))?.id ?? id)
      if (signed.gaveWayTo) this.#gaveWay.push({ signed, to: signed.gaveWayTo })
    }
    const added = await this.#register.add(
      fresh.map((device) => ({ device, request: null, assertions: [], evidence: [] })),
    )
    // This transaction has just read the rows, so only a registration since then can be the cause.
    const lost = fresh.find(({ id }) => !added.has(id))
    if (lost) throw new Unavailable(`${showSerialName(lost)} was registered while it was imported`)
  }

  /** Returns the row to add; undefined if there is none. */
  async #decide(
    id: DeviceId,
    signed: SignedDevice,
    serials: readonly Device[],
    keys: readonly Device[],
  ): Promise<Device | undefined> {
    const own = serials.filter(isOf(signed))
    const known = own.find(({ status }) => status !== 'superseded') ?? own[0]
    const holder = serials.find((row) => hasSerial(row) && !isOf(signed)(row))
    const keyRow = keys.find((row) => row.status !== 'superseded' && row.serial !== signed.serial)
    if (signed.gaveWayTo) {
      if (!known) return this.#supersededRow(id, signed, signed.gaveWayTo)
      const gives = await this.#isUntouched(known)
      if (gives) await this.#supersede(known, signed.gaveWayTo)
      this.#count(gives)
      return undefined
    }
    if (known && known.status !== 'superseded') {
      const newer = (known.revision ?? -1) < signed.revision && (await this.#isUntouched(known))
      if (newer) await this.#register.devices.setRevision(known, signed.revision)
      this.#count(newer)
      return undefined
    }
    for (const other of [holder, keyRow]) {
      if (!other) continue
      if (!isOlder(other, signed) || !(await this.#isUntouched(other))) {
        if (known) {
          this.#count(false)
          return undefined
        }
        this.#reportConflict(signed, other)
        return this.#supersededRow(id, signed, other)
      }
      await this.#supersede(other, signed)
      this.#counts.updated++
    }
    this.#counts.active++
    return this.#row(id, signed, { status: 'active', reason: null })
  }

  /** Checks that nothing has happened to the device here since its import; otherwise the register is newer. */
  async #isUntouched({ id, origin, status, quarantinedAt }: Device): Promise<boolean> {
    if (origin !== 'import' || status !== 'active' || quarantinedAt) return false
    const [stored] = await this.#register.byIds([id])
    return stored?.assertions.length === 0
  }

  async #supersede(device: Device, by: SignedDevice): Promise<void> {
    const decision = { at: by.signedAt, by: this.#source, reason: reasonOf(by) }
    await this.#register.devices.supersede(device, decision)
  }

  #count(changed: boolean): void {
    this.#counts[changed ? 'updated' : 'unchanged']++
  }

  #reportConflict(signed: SignedDevice, other: Device): void {
    const what =
      other.serial === signed.serial
        ? `the serial belongs to the key ${other.deviceKeyId}`
        : `the key has the serial ${other.serial || '(none yet)'}`
    this.#conflicts.push(
      `${showSerialName(signed)} with the key ${signed.deviceKeyId}: here ${what} (device ${other.id}, ${other.status}), which stays unchanged.`,
    )
    this.#evidence.push(this.#evidenceOf(other, signed, other))
  }

  #supersededRow(id: DeviceId, signed: SignedDevice, by: Pick<Device, 'serial' | 'deviceKeyId'>): Device {
    this.#counts.superseded++
    return this.#row(id, signed, { status: 'superseded', reason: reasonOf(by) })
  }

  #row(id: DeviceId, signed: SignedDevice, decided: Pick<Device, 'status' | 'reason'>): Device {
    const { brandId, model, serial, deviceKeyId, revision, firstSignedAt, signedAt } = signed
    const times = { registeredAt: firstSignedAt, decidedAt: signedAt, decidedBy: this.#source }
    return newDevice({
      id,
      brandId,
      model,
      serial,
      deviceKeyId,
      revision,
      origin: 'import',
      ...decided,
      ...times,
    })
  }

  #evidenceOf(
    { id, bucket }: DeviceRef,
    signed: SignedDevice,
    holder: Pick<Device, 'serial' | 'deviceKeyId'>,
  ): CloneEvidence {
    return {
      deviceId: id,
      bucket,
      kind: 'second-key',
      // With the same key, the serials differ.
      subject: holder.deviceKeyId === signed.deviceKeyId ? signed.serial : signed.deviceKeyId,
      firstSeenAt: signed.firstSignedAt,
      lastSeenAt: signed.signedAt,
      times: 1,
      details: {
        source: this.#source,
        serial: signed.serial,
        'device-key': signed.deviceKeyId,
        revision: String(signed.revision),
      },
    }
  }

  async finish(): Promise<ImportedSigned> {
    for (const { signed, to } of this.#gaveWay) {
      const id = this.#ids.get(nameOf(to))
      if (id === undefined) continue
      this.#evidence.push(this.#evidenceOf(deviceRef(id, to.deviceKeyId), signed, to))
    }
    await this.#register.addEvidence(this.#evidence)
    return { ...this.#counts, conflicts: this.#conflicts }
  }
}

const isOf =
  (signed: SignedDevice) =>
  ({ serial, deviceKeyId }: Device): boolean =>
    serial === signed.serial && deviceKeyId === signed.deviceKeyId

const reasonOf = ({ serial, deviceKeyId }: Pick<Device, 'serial' | 'deviceKeyId'>): string =>
  `Replaced by the serial ${serial} with the device key ${deviceKeyId}.`

const isOlder = (device: Device, signed: SignedDevice): boolean =>
  device.serial === signed.serial
    ? (device.revision ?? -1) < signed.revision
    : device.decidedAt !== null && device.decidedAt < signed.signedAt
