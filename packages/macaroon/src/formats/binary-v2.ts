import { MacaroonError } from '../errors.ts'
import { checkLimit, type Limits } from '../limits.ts'
import type { Caveat, Macaroon } from '../macaroon.ts'
import { utf8 } from '../text.ts'
import { readVarint, varint } from './varint.ts'

// The version 2 field types. A section is a sequence of fields with ascending types, and ends with a single
// 0.
const EOS = 0
const LOCATION = 1
const ID = 2
const VERIFICATION_ID = 4
const SIGNATURE = 6

interface Section {
  location: Uint8Array | undefined
  id: Uint8Array | undefined
  verificationId: Uint8Array | undefined
}

/** How far the source has been read. */
interface Cursor {
  readonly source: Buffer
  at: number
}

/** Reads a version 2 macaroon whose first byte (2) is at `start`, and returns it and the position after it. */
export function readVersion2(source: Buffer, start: number, limits: Limits): [Macaroon, end: number] {
  const cursor: Cursor = { source, at: start + 1 }
  const header = readSection(cursor)
  if (header?.id === undefined || header.verificationId !== undefined)
    throw malformed('its header is not a location and an id')
  const caveats: Caveat[] = []
  for (let section = readSection(cursor); section !== undefined; section = readSection(cursor)) {
    checkLimit('Too many caveats', caveats.length + 1, limits.caveats)
    caveats.push(toCaveat(section))
  }
  if (readNumber(cursor) !== SIGNATURE) throw malformed('the signature is missing')
  const signature = readData(cursor)
  if (signature.length !== 32) throw malformed(`the signature has ${signature.length} bytes instead of 32`)
  return [{ version: 2, location: text(header.location), id: header.id, caveats, signature }, cursor.at]
}

function toCaveat({ location, id, verificationId }: Section): Caveat {
  if (id === undefined) throw malformed('a caveat has no id')
  if (verificationId !== undefined && verificationId.length > 0) {
    return { id, location: text(location), verificationId }
  }
  if (location !== undefined) throw malformed('a first-party caveat has a location')
  return { id, location: '', verificationId: undefined }
}

/** Reads a section and the 0 that ends it; returns undefined if it is empty. */
function readSection(cursor: Cursor): Section | undefined {
  let lastType = readNumber(cursor)
  if (lastType === EOS) return undefined
  const section: Section = { location: undefined, id: undefined, verificationId: undefined }
  for (let type = lastType; ; ) {
    const data = readData(cursor)
    if (type === LOCATION) section.location = data
    else if (type === ID) section.id = data
    else if (type === VERIFICATION_ID) section.verificationId = data
    else throw malformed(`field ${type} is unexpected`)
    type = readNumber(cursor)
    if (type === EOS) return section
    if (type <= lastType) throw malformed('its fields are not in order')
    lastType = type
  }
}

function readData(cursor: Cursor): Uint8Array {
  const length = readNumber(cursor)
  const start = cursor.at
  cursor.at += length
  if (cursor.at > cursor.source.length) throw malformed('it ends in the middle of a field')
  return cursor.source.subarray(start, cursor.at)
}

function readNumber(cursor: Cursor): number {
  const { source, at } = cursor
  const first = source[at]
  // Nearly all numbers have one byte.
  if (first !== undefined && first < 0x80) {
    cursor.at = at + 1
    return first
  }
  const read = readVarint(source, at)
  if (read === undefined) throw malformed('a number in it is cut off or too large')
  cursor.at = read[1]
  return read[0]
}

function text(data: Uint8Array | undefined): string {
  const location = data === undefined ? '' : utf8(data)
  if (location === undefined) throw malformed('a location is not UTF-8')
  return location
}

/** The output; `at` bytes of it are written. */
interface Output {
  readonly bytes: Buffer
  at: number
}

/** Writes a version 2 macaroon and leaves out empty locations. */
export function writeVersion2(macaroon: Macaroon): Uint8Array {
  const output: Output = { bytes: Buffer.allocUnsafe(mostBytes(macaroon)), at: 0 }
  writeNumber(output, 2)
  writeSection(output, macaroon.location, macaroon.id, undefined)
  for (const { id, location, verificationId } of macaroon.caveats) {
    writeSection(output, verificationId === undefined ? '' : location, id, verificationId)
  }
  writeNumber(output, EOS)
  writeField(output, SIGNATURE, macaroon.signature)
  return output.bytes.subarray(0, output.at)
}

/**
 * The maximum number of bytes besides data in a section: one for each type and for the end, and up to five
 * for each length.
 */
const AROUND_SECTION = 3 * (1 + 5) + 1

function mostBytes({ id, location, caveats, signature }: Macaroon): number {
  let bytes = 2 * AROUND_SECTION + 3 * location.length + id.length + signature.length
  for (const caveat of caveats) {
    bytes += AROUND_SECTION + 3 * caveat.location.length + caveat.id.length
    bytes += caveat.verificationId?.length ?? 0
  }
  return bytes
}

function writeSection(
  output: Output,
  location: string,
  id: Uint8Array,
  verificationId: Uint8Array | undefined,
): void {
  if (location !== '') writeField(output, LOCATION, Buffer.from(location))
  writeField(output, ID, id)
  if (verificationId !== undefined) writeField(output, VERIFICATION_ID, verificationId)
  writeNumber(output, EOS)
}

function writeField(output: Output, type: number, data: Uint8Array): void {
  writeNumber(output, type)
  writeNumber(output, data.length)
  output.bytes.set(data, output.at)
  output.at += data.length
}

function writeNumber(output: Output, value: number): void {
  if (value < 0x80) {
    output.bytes[output.at++] = value
  } else {
    const bytes = varint(value)
    output.bytes.set(bytes, output.at)
    output.at += bytes.length
  }
}

function malformed(why: string): MacaroonError {
  return new MacaroonError('malformed', `Not a version 2 macaroon: ${why}`)
}
