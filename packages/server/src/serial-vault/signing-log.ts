/**
 * Finds out which key has which serial, from a log of signatures. A serial-vault can sign one serial for several keys,
 * and several serials for one key. Here, one of each remains, and the import reports the others.
 */
import type { SignedDevice } from '../devices/transfer/import-signed-devices.ts'
import type { DumpRow } from './dump-rows.ts'

/** `deviceKeyId` is the `fingerprint` of the log: the key that signed the serial-request is the device key. */
export interface Signature extends Omit<SignedDevice, 'firstSignedAt' | 'gaveWayTo'> {
  readonly place: string
}

/** One serial with one key, from all signatures for both. */
export interface Holding extends Signature, SignedDevice {
  readonly gaveWayTo?: Holding
}

/** Returns a sentence if a row can't be a device. Times without a zone are UTC. */
export function readSignature({ fields, place }: DumpRow, now: Date): Signature | string {
  const { make, model, serial_number: serial, fingerprint, revision, created } = fields
  if (!make || !/^[A-Za-z0-9-]{2,32}$/.test(make)) return `${place}: "make" is not the id of an account.`
  if (!model || !/^[A-Za-z0-9-]{1,128}$/.test(model)) return `${place}: "model" is not the name of a model.`
  if (!serial || !/^[^/\p{C}]{1,200}$/u.test(serial)) {
    return `${place}: "serial_number" is not a serial number.`
  }
  if (!fingerprint || !/^[A-Za-z0-9_-]{64}$/.test(fingerprint)) {
    return `${place}: "fingerprint" is not the id of a device key.`
  }
  // serial-vault added the column later, with this default.
  const number = revision || '1'
  if (!/^\d{1,9}$/.test(number)) return `${place}: "revision" is not a number.`
  const signedAt = created ? timeOf(created) : now
  if (!signedAt) return `${place}: "created" is not a time.`
  return { brandId: make, model, serial, deviceKeyId: fingerprint, revision: Number(number), signedAt, place }
}

/** Reads times such as `2018-03-01 10:20:30.123456`, with or without a zone (PostgreSQL, SQLite, Go). */
function timeOf(text: string): Date | undefined {
  const [, day, clock, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*(?: ?(Z|[+-]\d\d(?::?\d\d)?))?/.exec(text) ?? []
  if (!day || !clock) return undefined
  const offset =
    zone === 'Z' ? zone : zone.length === 3 ? `${zone}:00` : zone.replace(/^(...)(\d\d)$/, '$1:$2')
  const date = new Date(`${day}T${clock}${offset}`)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Collects signatures one by one, and keeps them all in memory. */
export class SigningLog {
  readonly #holdings = new Map<string, Holding>()
  #signatures = 0

  get signatures(): number {
    return this.#signatures
  }

  add(signature: Signature): void {
    this.#signatures++
    const key = nameOf(signature, signature.serial, signature.deviceKeyId)
    const known = this.#holdings.get(key)
    if (!known) {
      this.#holdings.set(key, { ...signature, firstSignedAt: signature.signedAt })
      return
    }
    const firstSignedAt = signature.signedAt < known.firstSignedAt ? signature.signedAt : known.firstSignedAt
    const newest = isNewer(signature, known) ? signature : known
    this.#holdings.set(key, { ...newest, firstSignedAt })
  }

  /**
   * Assigns each serial to the key whose signature for it has the highest revision, or else is the most
   * recent. A key that would get several serials gets the one that was signed last.
   */
  resolve(): readonly Holding[] {
    const all = [...this.#holdings.values()]
    const bySerial = new Map<string, Holding>()
    for (const holding of all) {
      const name = nameOf(holding, holding.serial)
      const other = bySerial.get(name)
      if (!other || isNewer(holding, other)) bySerial.set(name, holding)
    }
    const byKey = new Map<string, Holding>()
    for (const holding of bySerial.values()) {
      const name = nameOf(holding, holding.deviceKeyId)
      const other = byKey.get(name)
      if (!other || isLater(holding, other)) byKey.set(name, holding)
    }
    return all.map((holding) => {
      const holder = bySerial.get(nameOf(holding, holding.serial))
      const ofKey = byKey.get(nameOf(holding, holding.deviceKeyId))
      if (holder === holding && ofKey === holding) return holding
      const gaveWayTo = holder !== holding ? holder : ofKey
      return gaveWayTo ? { ...holding, gaveWayTo } : holding
    })
  }
}

const nameOf = ({ brandId, model }: Signature, ...more: readonly string[]): string =>
  [brandId, model, ...more].join('/')

/** Compares two signatures for one serial, whose revisions count up. */
const isNewer = (one: Signature, other: Signature): boolean =>
  one.revision === other.revision ? one.signedAt >= other.signedAt : one.revision > other.revision

/** Compares signatures for two serials, whose revisions can't be compared. */
const isLater = (one: Signature, other: Signature): boolean =>
  one.signedAt.getTime() === other.signedAt.getTime()
    ? one.revision >= other.revision
    : one.signedAt > other.signedAt
