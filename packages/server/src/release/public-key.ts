/** Public keys of OpenSSH: `ssh-ed25519`, and the same algorithm on a security key. */
import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { ReleaseError } from './release-error.ts'
import { readWire, strictBase64, type WireReader } from './wire.ts'

export type KeyType = 'ssh-ed25519' | 'sk-ssh-ed25519@openssh.com'

export interface PublicKey {
  readonly type: KeyType
  /** The line of the `.pub` file, without its newline: type, base64, and perhaps a comment. */
  readonly line: string
  /** The binary form, which signatures repeat. */
  readonly blob: Buffer
  readonly ed25519: KeyObject
  /** The application of a key on a security key, such as `ssh:`. Empty for others. */
  readonly application: string
}

/** The longest `.pub` file, in bytes. Real ones have about 150. */
const MAX_KEY_BYTES = 1024

const LINE =
  /^(?<type>ssh-ed25519|sk-ssh-ed25519@openssh\.com) (?<base64>[\w+/]+=*)(?: [ -~]*[!-~])?(?<end>\n?)$/

/** Parses the text of a `.pub` file; messages contain its `name`. Throws {@link ReleaseError}. */
export function parsePublicKey(text: string, name: string): PublicKey {
  const refuse = (fault: string) =>
    new ReleaseError(
      `${name} is not a public key of OpenSSH with Ed25519: ${fault}. Give the .pub file that ssh-keygen wrote for a key of type ed25519 or ed25519-sk.`,
    )
  if (text.length > MAX_KEY_BYTES) throw refuse('it is too long')
  const { type = '', base64 = '', end = '' } = LINE.exec(text)?.groups ?? {}
  const blob = strictBase64(base64)
  if (!isKeyType(type) || blob === undefined) {
    throw refuse('it is not one line with `ssh-ed25519` or `sk-ssh-ed25519@openssh.com`, and base64')
  }
  const reader = readWire(blob, refuse)
  if (reader.text() !== type) throw refuse('it contains a key of another type')
  const raw = reader.string()
  if (raw.length !== 32) throw refuse('its key does not have 32 bytes')
  const application = KEY_TYPES[type].applicationIn(reader)
  reader.end()
  const ed25519 = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
    format: 'jwk',
  })
  return { type, line: text.slice(0, text.length - end.length), blob, ed25519, application }
}

/** Returns the fingerprint as ssh-keygen prints it, such as `SHA256:…`. */
export const fingerprintOf = (blob: Uint8Array): string =>
  `SHA256:${hash('sha256', blob, 'base64').replace(/=+$/, '')}`

const KEY_TYPES: Readonly<Record<KeyType, { readonly applicationIn: (key: WireReader) => string }>> = {
  'ssh-ed25519': { applicationIn: () => '' },
  'sk-ssh-ed25519@openssh.com': { applicationIn: (key) => key.text() },
}

export const isKeyType = (type: string): type is KeyType => Object.hasOwn(KEY_TYPES, type)
