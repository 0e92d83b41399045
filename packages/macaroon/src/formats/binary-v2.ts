import { MacaroonError } from '../errors.ts'
import { checkLimit, type Limits } from '../limits.ts'
import type { Caveat, Macaroon } from '../macaroon.ts'
import { utf8 } from '../text.ts'
import { readVarint, varint } from './varint.ts'

/** Field types of version 2. A section is a run of fields with rising types, ended by a single 0. */
const EOS = 0
const LOCATION = 1
const ID = 2
const VERIFICATION_ID = 4
const SIGNATURE = 6

type Section = Map<number, Uint8Array>

/** Reads one version 2 macaroon that begins at `start` (its byte 2); also says where it ends. */
export function readVersion2(source: Buffer, start: number, limits: Limits): [Macaroon, end: number] {
  const header: Section = new Map()
  let position = readSection(source, start + 1, header)
  const id = header.get(ID)
  if (id === undefined || header.has(VERIFICATION_ID))
    throw malformed('its header is not a location and an id')
  const caveats: Caveat[] = []
  for (;;) {
    const section: Section = new Map()
    position = readSection(source, position, section)
    if (section.size === 0) break
    checkLimit('Too many caveats', caveats.length + 1, limits.caveats)
    caveats.push(toCaveat(section))
  }
  const [type, signature, end] = readField(source, position)
  if (type !== SIGNATURE) throw malformed('the signature is missing')
  if (signature.length !== 32) throw malformed(`the signature has ${signature.length} bytes instead of 32`)
  return [{ version: 2, location: text(header.get(LOCATION)), id, caveats, signature }, end]
}

function toCaveat(section: Section): Caveat {
  const id = section.get(ID)
  const verificationId = section.get(VERIFICATION_ID)
  if (id === undefined) throw malformed('a caveat has no id')
  if (verificationId !== undefined && verificationId.length > 0) {
    return { id, location: text(section.get(LOCATION)), verificationId }
  }
  if (section.has(LOCATION)) throw malformed('a first-party caveat has a location')
  return { id, location: '', verificationId: undefined }
}

/** Fills `section` and returns where the next one begins. */
function readSection(source: Buffer, start: number, section: Section): number {
  let position = start
  let lastType = EOS
  for (;;) {
    const [type, data, end] = readField(source, position)
    position = end
    if (type === EOS) return position
    if (type <= lastType) throw malformed('its fields are not in order')
    if (type !== LOCATION && type !== ID && type !== VERIFICATION_ID)
      throw malformed(`field ${type} is unexpected`)
    section.set(type, data)
    lastType = type
  }
}

const NOTHING = new Uint8Array(0)

function readField(source: Buffer, start: number): [type: number, data: Uint8Array, end: number] {
  const [type, afterType] = varintAt(source, start)
  if (type === EOS) return [EOS, NOTHING, afterType]
  const [length, afterLength] = varintAt(source, afterType)
  const end = afterLength + length
  if (end > source.length) throw malformed('it ends in the middle of a field')
  return [type, source.subarray(afterLength, end), end]
}

function varintAt(source: Buffer, start: number): [value: number, end: number] {
  const read = readVarint(source, start)
  if (read === undefined) throw malformed('a number in it is cut off or too large')
  return read
}

function text(data: Uint8Array | undefined): string {
  const location = utf8(data ?? NOTHING)
  if (location === undefined) throw malformed('a location is not UTF-8')
  return location
}

/** Writes one version 2 macaroon; empty locations are left out. */
export function writeVersion2(macaroon: Macaroon): Uint8Array {
  const parts: Uint8Array[] = [Buffer.of(2)]
  writeSection(parts, macaroon.location, macaroon.id, undefined)
  for (const caveat of macaroon.caveats) {
    const location = caveat.verificationId === undefined ? '' : caveat.location
    writeSection(parts, location, caveat.id, caveat.verificationId)
  }
  parts.push(Buffer.of(EOS))
  writeField(parts, SIGNATURE, macaroon.signature)
  return Buffer.concat(parts)
}

function writeSection(
  parts: Uint8Array[],
  location: string,
  id: Uint8Array,
  vid: Uint8Array | undefined,
): void {
  if (location !== '') writeField(parts, LOCATION, Buffer.from(location))
  writeField(parts, ID, id)
  if (vid !== undefined) writeField(parts, VERIFICATION_ID, vid)
  parts.push(Buffer.of(EOS))
}

function writeField(parts: Uint8Array[], type: number, data: Uint8Array): void {
  parts.push(varint(type), varint(data.length), data)
}

function malformed(why: string): MacaroonError {
  return new MacaroonError('malformed', `Not a version 2 macaroon: ${why}`)
}
