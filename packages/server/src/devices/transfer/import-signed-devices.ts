/**
 * Takes over devices that another service signed serials for: their names, keys and revisions, without the assertions.
 * The first registration here signs the next revision; a session opened with a serial of the other service stores that.
 */
import { type DeviceId, newDeviceId } from '@ratafia/api'
import { Unavailable } from '../../errors.ts'
import { type Device, showSerialName } from '../device.ts'
import type { CloneEvidence } from '../sessions/clone-store.ts'
import type { RegisterImport, StoredDevice } from './device-transfer-store.ts'
import type { InImport } from './import-devices.ts'

export interface SignedDevice {
  readonly brandId: string
  readonly model: string
  readonly serial: string
  readonly deviceKeyId: string
  /** Of the last signature. */
  readonly revision: number
  readonly firstSignedAt: Date
  readonly signedAt: Date
  /** What has the serial, or the key, in its place, by the records of the other service. */
  readonly gaveWayTo?: SignedDevice
}

export interface ImportSignedDeps {
  readonly inImport: InImport
}

interface ImportOptions {
  /** Whose word it is: `decided_by` of the rows. */
  readonly source: string
  /** Does everything, and takes it back. */
  readonly dryRun: boolean
  readonly onProgress?: (done: number, total: number) => void
}

export interface ImportedSigned {
  readonly active: number
  readonly superseded: number
  /** Those that were there and are changed: another revision, or their serial went to another key. */
  readonly updated: number
  readonly unchanged: number
  /** What the register knows otherwise, in a sentence each: its word stays. */
  readonly conflicts: readonly string[]
}

const BATCH = 500

/** All of them or none, in one transaction. Imported again, nothing changes. */
export async function importSignedDevices(
  all: readonly SignedDevice[],
  { source, dryRun, onProgress }: ImportOptions,
  { inImport }: ImportSignedDeps,
): Promise<ImportedSigned> {
  let counts: ImportedSigned | undefined
  try {
    return await inImport(async ({ register, record }) => {
      const work = new SignedImport(source, register)
      // What gave way goes first, so that its serial is free for who has it now.
      let done = 0
      for (const phase of inOrder(all)) {
        for (let start = 0; start < phase.length; start += BATCH) {
          const batch = phase.slice(start, start + BATCH)
          await work.take(batch)
          done += batch.length
          onProgress?.(done, all.length)
        }
      }
      counts = await work.finish()
      if (dryRun) throw new TakenBack()
      const { conflicts, unchanged, ...changed } = counts
      if (Object.values(changed).some((count) => count > 0)) {
        const details = { ...changed, unchanged, conflicts: conflicts.length }
        await record({ action: 'devices.import-serial-vault', subject: source, details })
      }
      return counts
    })
  } catch (error) {
    if (error instanceof TakenBack && counts) return counts
    throw error
  }
}

class TakenBack extends Error {}

interface Numbered {
  readonly id: DeviceId
  readonly signed: SignedDevice
}

/** What gave way, then what is active; ids sort as the devices were signed. */
function inOrder(all: readonly SignedDevice[]): readonly (readonly Numbered[])[] {
  const numbered = all
    .toSorted((one, other) => one.firstSignedAt.getTime() - other.firstSignedAt.getTime())
    .map((signed) => ({ id: newDeviceId(), signed }))
  return [
    numbered.filter(({ signed }) => signed.gaveWayTo),
    numbered.filter(({ signed }) => !signed.gaveWayTo),
  ]
}

const nameOf = (device: SignedDevice): string => `${showSerialName(device)} ${device.deviceKeyId}`

const isOfModel = (device: Device, signed: SignedDevice): boolean =>
  device.brandId === signed.brandId && device.model === signed.model

const holdsSerial = ({ status }: Device): boolean => status === 'active' || status === 'revoked'

class SignedImport {
  readonly #source: string
  readonly #register: RegisterImport
  readonly #conflicts: string[] = []
  /** Of those that something gave way to, or whose serial or key something else wanted. */
  readonly #ids = new Map<string, DeviceId>()
  readonly #gaveWay: { readonly signed: SignedDevice; readonly to: SignedDevice }[] = []
  readonly #evidence: CloneEvidence[] = []
  #active = 0
  #superseded = 0
  #updated = 0
  #unchanged = 0

  constructor(source: string, register: RegisterImport) {
    this.#source = source
    this.#register = register
  }

  async take(batch: readonly Numbered[]): Promise<void> {
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
      const device = await this.#one(id, signed, serials, keys)
      if (device) fresh.push(device)
      this.#ids.set(nameOf(signed), device?.id ?? serials.find(isOf(signed))?.id ?? id)
      if (signed.gaveWayTo) this.#gaveWay.push({ signed, to: signed.gaveWayTo })
    }
    const added = await this.#register.add(fresh.map(withoutAssertions))
    // The rows were looked at in this transaction; only a registration at this moment can have come between.
    const lost = fresh.find(({ id }) => !added.has(id))
    if (lost) throw new Unavailable(`${showSerialName(lost)} was registered while it was imported`)
  }

  /** What is to be added. */
  async #one(
    id: DeviceId,
    signed: SignedDevice,
    serials: readonly Device[],
    keys: readonly Device[],
  ): Promise<Device | undefined> {
    const own = serials.filter(isOf(signed))
    const present = own.find(({ status }) => status !== 'superseded') ?? own[0]
    const holder = serials.find((row) => holdsSerial(row) && !isOf(signed)(row))
    const keyRow = keys.find((row) => row.status !== 'superseded' && row.serial !== signed.serial)
    if (signed.gaveWayTo) {
      if (!present) return this.#supersededRow(id, signed, signed.gaveWayTo)
      const gives = await this.#isUntouched(present)
      if (gives) await this.#supersede(present, signed.gaveWayTo)
      this.#count(gives)
      return undefined
    }
    if (present && present.status !== 'superseded') {
      const newer = (present.revision ?? -1) < signed.revision && (await this.#isUntouched(present))
      if (newer) await this.#register.devices.setRevision(present.id, signed.revision)
      this.#count(newer)
      return undefined
    }
    for (const other of [holder, keyRow]) {
      if (!other) continue
      if (!isOlder(other, signed) || !(await this.#isUntouched(other))) {
        if (present) {
          this.#count(false)
          return undefined
        }
        this.#tellConflict(signed, other)
        return this.#supersededRow(id, signed, other)
      }
      await this.#supersede(other, signed)
      this.#updated++
    }
    this.#active++
    return this.#row(id, signed, { status: 'active', reason: null })
  }

  /** Nothing happened to it here since it was imported: else the register knows better than a dump. */
  async #isUntouched({ id, origin, status, quarantinedAt }: Device): Promise<boolean> {
    if (origin !== 'import' || status !== 'active' || quarantinedAt) return false
    const [stored] = await this.#register.byIds([id])
    return stored?.assertions.length === 0
  }

  async #supersede(device: Device, by: SignedDevice): Promise<void> {
    const decision = { at: by.signedAt, by: this.#source, reason: reasonOf(by) }
    await this.#register.devices.supersede(device.id, decision)
  }

  #count(changed: boolean): void {
    if (changed) this.#updated++
    else this.#unchanged++
  }

  #tellConflict(signed: SignedDevice, other: Device): void {
    const what =
      other.serial === signed.serial
        ? `the serial belongs to the key ${other.deviceKeyId}`
        : `the key has the serial ${other.serial || '(none yet)'}`
    this.#conflicts.push(
      `${showSerialName(signed)} with the key ${signed.deviceKeyId}: here ${what} (device ${other.id}, ${other.status}), and that stays.`,
    )
    this.#evidence.push(this.#evidenceOf(other.id, signed, other))
  }

  #supersededRow(id: DeviceId, signed: SignedDevice, by: Pick<Device, 'serial' | 'deviceKeyId'>): Device {
    this.#superseded++
    return this.#row(id, signed, { status: 'superseded', reason: reasonOf(by) })
  }

  #row(id: DeviceId, signed: SignedDevice, decided: Pick<Device, 'status' | 'reason'>): Device {
    const { brandId, model, serial, deviceKeyId, revision, firstSignedAt, signedAt } = signed
    const row = { id, brandId, model, serial, deviceKeyId, revision, ...decided }
    const times = { registeredAt: firstSignedAt, decidedAt: signedAt, decidedBy: this.#source }
    return { ...row, ...times, origin: 'import', original: null, quarantinedAt: null }
  }

  #evidenceOf(
    deviceId: DeviceId,
    signed: SignedDevice,
    holder: Pick<Device, 'serial' | 'deviceKeyId'>,
  ): CloneEvidence {
    return {
      deviceId,
      kind: 'second-key',
      // With the same key it is the serial that is the other one.
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
      if (id !== undefined) this.#evidence.push(this.#evidenceOf(id, signed, to))
    }
    await this.#register.addEvidence(this.#evidence)
    return {
      active: this.#active,
      superseded: this.#superseded,
      updated: this.#updated,
      unchanged: this.#unchanged,
      conflicts: this.#conflicts,
    }
  }
}

const isOf =
  (signed: SignedDevice) =>
  ({ serial, deviceKeyId }: Device): boolean =>
    serial === signed.serial && deviceKeyId === signed.deviceKeyId

const reasonOf = ({ serial, deviceKeyId }: Pick<Device, 'serial' | 'deviceKeyId'>): string =>
  `In its place: the serial ${serial} with the device key ${deviceKeyId}.`

const isOlder = (device: Device, signed: SignedDevice): boolean =>
  device.serial === signed.serial
    ? (device.revision ?? -1) < signed.revision
    : device.decidedAt !== null && device.decidedAt < signed.signedAt

const withoutAssertions = (device: Device): StoredDevice => ({ device, request: null, assertions: [] })
