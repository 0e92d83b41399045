/** Reads a private key from armored PGP, as GnuPG exports it and `snap sign` keeps it. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { invalidField } from '../../errors.ts'

/**
 * Returns the primary key, which must be RSA. Throws `invalid-field` if it is not a private key, uses a
 * different algorithm, or the passphrase is missing or wrong; the message reveals nothing about the key.
 */
export async function readPgpKey(
  name: string,
  armored: string,
  passphrase: string | undefined,
): Promise<KeyObject> {
  // Loaded only on demand: loading it takes longer than the rest of a command.
  const { decryptKey, readPrivateKey } = await import('openpgp')
  const locked = await readPrivateKey({ armoredKey: armored }).catch(() => {
    throw invalidField(
      `${name} is not a readable PGP private key. Export it with gpg --armor --export-secret-keys NAME; for a key of \`snap create-key\` with --homedir ~/.snap/gnupg, or name it gpg:NAME.`,
    )
  })
  if (!locked.isDecrypted() && passphrase === undefined) {
    throw invalidField(`${name} is encrypted. Pass --passphrase-stdin and its passphrase on standard input.`)
  }
  const key = locked.isDecrypted()
    ? locked
    : await decryptKey({ privateKey: locked, passphrase: passphrase ?? '' }).catch(() => {
        throw invalidField(`${name} cannot be decrypted; is the passphrase right?`)
      })
  const { n, e } = numbersOf(key.keyPacket.publicParams)
  const { d, p, q, u } = numbersOf('privateParams' in key.keyPacket ? key.keyPacket.privateParams : undefined)
  if (
    n === undefined ||
    e === undefined ||
    d === undefined ||
    p === undefined ||
    q === undefined ||
    u === undefined
  ) {
    throw invalidField(`${name} is not an RSA key. Assertions are signed with RSA.`)
  }
  // OpenPGP stores the inverse of p modulo q, JWK the inverse of its q modulo its p: swap p and q.
  const jwk = {
    kty: 'RSA',
    n: base64url(n),
    e: base64url(e),
    d: base64url(d),
    p: base64url(q),
    q: base64url(p),
    dp: base64url(d % (q - 1n)),
    dq: base64url(d % (p - 1n)),
    qi: base64url(u),
  }
  try {
    return createPrivateKey({ key: jwk, format: 'jwk' })
  } catch {
    throw invalidField(`${name} is not a usable RSA key: its numbers do not fit together.`)
  }
}

/** Returns the numbers of a packet, by their OpenPGP names. */
function numbersOf(parameters: unknown): Readonly<Record<string, bigint | undefined>> {
  const entries = typeof parameters === 'object' && parameters !== null ? Object.entries(parameters) : []
  return Object.fromEntries(
    entries.flatMap(([name, value]) =>
      value instanceof Uint8Array ? [[name, BigInt(`0x0${Buffer.from(value).toString('hex')}`)]] : [],
    ),
  )
}

function base64url(number: bigint): string {
  const hex = number.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url')
}
