import { MacaroonError } from '../errors.ts'
import { checkLimit, type Limits } from '../limits.ts'
import type { Caveat, Macaroon } from '../macaroon.ts'
import { utf8 } from '../text.ts'

// Version 1 consists of packets: four lower-case hex digits (the packet's length), a name, a space, data, a line feed.
const MAX_PACKET = 0xffff
const SHORTEST_PACKET = 6

interface Packet {
  readonly name: string
  readonly data: Uint8Array
  readonly end: number
}

/** Reads a version 1 macaroon that begins at `start`, and returns it and the position after it. */
export function readVersion1(source: Buffer, start: number, limits: Limits): [Macaroon, end: number] {
  const location = expectPacket(source, start, 'location')
  const id = expectPacket(source, location.end, 'identifier')
  const caveats: Caveat[] = []
  let packet = readPacket(source, id.end)
  while (packet.name !== 'signature') {
    if (packet.name !== 'cid')
      throw malformed(`found "${packet.name}" where a caveat or the signature should be`)
    checkLimit('Too many caveats', caveats.length + 1, limits.caveats)
    const [caveat, next] = readCaveat(source, packet)
    caveats.push(caveat)
    packet = next
  }
  if (packet.data.length !== 32)
    throw malformed(`the signature has ${packet.data.length} bytes instead of 32`)
  const macaroon: Macaroon = {
    version: 1,
    location: text(location.data),
    id: id.data,
    caveats,
    signature: packet.data,
  }
  return [macaroon, packet.end]
}

function readCaveat(source: Buffer, cid: Packet): [Caveat, next: Packet] {
  let verificationId: Uint8Array | undefined
  let location: string | undefined
  let packet = readPacket(source, cid.end)
  while (packet.name === 'vid' || packet.name === 'cl') {
    if (packet.name === 'vid') {
      if (verificationId !== undefined) throw malformed('a caveat has two "vid" packets')
      verificationId = packet.data
    } else {
      if (location !== undefined) throw malformed('a caveat has two "cl" packets')
      location = text(packet.data)
    }
    packet = readPacket(source, packet.end)
  }
  // A caveat with an empty vid is a first-party caveat, and its location means nothing.
  const caveat: Caveat = verificationId?.length
    ? { id: cid.data, location: location ?? '', verificationId }
    : { id: cid.data, location: '', verificationId: undefined }
  return [caveat, packet]
}

function expectPacket(source: Buffer, start: number, name: string): Packet {
  const packet = readPacket(source, start)
  if (packet.name !== name) throw malformed(`found "${packet.name}" where "${name}" should be`)
  return packet
}

function readPacket(source: Buffer, start: number): Packet {
  const digits = source.toString('latin1', start, start + 4)
  if (!/^[0-9a-f]{4}$/.test(digits))
    throw malformed('a packet does not begin with four lower-case hex digits')
  const length = Number.parseInt(digits, 16)
  const end = start + length
  if (length < SHORTEST_PACKET || end > source.length) throw malformed('the length of a packet is wrong')
  const space = source.indexOf(0x20, start + 4)
  if (space < 0 || space >= end - 1 || source[end - 1] !== 0x0a) {
    throw malformed('a packet is not a name, a space, data and a line feed')
  }
  const name = source.toString('latin1', start + 4, space)
  if (!FIELDS.has(name)) throw malformed('a packet has an unknown name')
  return { name, data: source.subarray(space + 1, end - 1), end }
}

const FIELDS: ReadonlySet<string> = new Set(['location', 'identifier', 'cid', 'vid', 'cl', 'signature'])

function text(data: Uint8Array): string {
  const location = utf8(data)
  if (location === undefined) throw malformed('a location is not UTF-8')
  return location
}

export function writeVersion1(macaroon: Macaroon): Uint8Array {
  const packets = [packet('location', Buffer.from(macaroon.location)), packet('identifier', macaroon.id)]
  for (const { id, location, verificationId } of macaroon.caveats) {
    packets.push(packet('cid', id))
    if (verificationId !== undefined)
      packets.push(packet('vid', verificationId), packet('cl', Buffer.from(location)))
  }
  packets.push(packet('signature', macaroon.signature))
  return Buffer.concat(packets)
}

function packet(name: string, data: Uint8Array): Uint8Array {
  const length = 4 + name.length + 1 + data.length + 1
  checkLimit(`A version 1 packet "${name}" with too many bytes`, length, MAX_PACKET)
  const head = `${length.toString(16).padStart(4, '0')}${name} `
  return Buffer.concat([Buffer.from(head, 'latin1'), data, Buffer.from('\n')])
}

function malformed(why: string): MacaroonError {
  return new MacaroonError('malformed', `Not a version 1 macaroon: ${why}`)
}
