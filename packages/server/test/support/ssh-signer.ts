/** Signs as OpenSSH does (PROTOCOL.sshsig, PROTOCOL.u2f), also in place of a security key, and wrongly on request. */
import { generateKeyPairSync, hash, sign } from 'node:crypto'
import type { KeyType } from '../../src/release/public-key.ts'
import { wireString } from '../../src/release/wire.ts'

/** The parts of a signature. All have a right default. */
interface Parts {
  readonly namespace?: string
  readonly magic?: string
  readonly version?: number
  readonly reserved?: string
  readonly hashName?: string
  /** The type in the signature. Default: that of the key. */
  readonly type?: string
  /** The flags of a security key. Default: a person was present. */
  readonly flags?: number
  /** Follows the Ed25519 signature. */
  readonly innerEnd?: string
  /** Follows the whole signature. */
  readonly end?: string
}

export interface SshSigner {
  /** The content of the `.pub` file. */
  readonly publicKey: string
  /** Returns an armored signature. */
  sign(message: string | Uint8Array, parts?: Parts): string
}

const APPLICATION = 'ssh:ratafia'
const COUNTER = 7

export function sshSigner(type: KeyType = 'ssh-ed25519'): SshSigner {
  const pair = generateKeyPairSync('ed25519')
  const raw = Buffer.from(pair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const isSecurityKey = type.startsWith('sk-')
  const blob = Buffer.concat([
    wireString(type),
    wireString(raw),
    ...(isSecurityKey ? [wireString(APPLICATION)] : []),
  ])
  return {
    publicKey: `${type} ${blob.toString('base64')} test\n`,
    sign(message, parts = {}) {
      const { namespace = 'ratafia-release', magic = 'SSHSIG', version = 1, reserved = '' } = parts
      const { hashName = 'sha512', flags = 1, innerEnd = '', end = '' } = parts
      const shared = [wireString(namespace), wireString(reserved), wireString(hashName)]
      const signed = Buffer.concat([
        Buffer.from(magic),
        ...shared,
        wireString(hash(hashName, message, 'buffer')),
      ])
      const device = isSecurityKey ? Buffer.from([flags, 0, 0, 0, COUNTER]) : Buffer.alloc(0)
      const covered = isSecurityKey
        ? Buffer.concat([hash('sha256', APPLICATION, 'buffer'), device, hash('sha256', signed, 'buffer')])
        : signed
      const inner = [
        wireString(parts.type ?? type),
        wireString(sign(null, covered, pair.privateKey)),
        device,
        Buffer.from(innerEnd),
      ]
      const all = Buffer.concat([
        Buffer.from(magic),
        Buffer.from([0, 0, 0, version]),
        wireString(blob),
        ...shared,
        wireString(Buffer.concat(inner)),
        Buffer.from(end),
      ])
      return armored(all.toString('base64'))
    },
  }
}

/** Puts base64 between the lines of an SSH signature. */
export const armored = (base64: string): string =>
  [
    '-----BEGIN SSH SIGNATURE-----',
    ...(base64.match(/.{1,70}/g) ?? []),
    '-----END SSH SIGNATURE-----',
    '',
  ].join('\n')
