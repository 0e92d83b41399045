/** Recognises files that can't be read as a private key, and explains how to get a key from them. */
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'

const CERTIFICATE = 'is a certificate. Give the private key that belongs to it.'
const PUBLIC_KEY = 'is a public key. Give the private key that belongs to it.'
const WEAKLY_ENCRYPTED =
  'is encrypted with an algorithm that is too weak to be read here. Convert it with `openssl pkey -provider default -provider legacy -in FILE -aes256 -out key.pem`.'

/** The kinds of text files, by a pattern in the text. */
const TEXTS: readonly [RegExp, string][] = [
  [/^\s*$/, 'is empty. Give an RSA private key as PEM or armored PGP.'],
  [
    /-----BEGIN OPENSSH PRIVATE KEY-----/,
    'is a private key of OpenSSH. Convert a copy of it with `ssh-keygen -p -m PKCS8 -f FILE`.',
  ],
  [
    /^\s*\{[\s\S]*"kty"/,
    'is a key in JSON (JWK). Convert it to PEM (PKCS#8) first, for example with `createPrivateKey` of Node.',
  ],
  [/^DEK-Info: (DES-CBC|RC2|IDEA|SEED|CAST|BF)/m, WEAKLY_ENCRYPTED],
]

/** Kinds that can also be next to a private key in its file. */
const WITHOUT_KEY: readonly [RegExp, string][] = [
  [
    /-----BEGIN PGP PUBLIC KEY/,
    'is a PGP public key. Give the private one: `gpg --armor --export-secret-keys NAME` exports it.',
  ],
  [/-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----/, CERTIFICATE],
  [
    /-----BEGIN (NEW )?CERTIFICATE REQUEST-----/,
    'is a certificate request. Give the private key that belongs to it.',
  ],
  [/-----BEGIN (RSA )?PUBLIC KEY-----|^ssh-[a-z0-9-]+ |^ecdsa-/, PUBLIC_KEY],
]

/** Returns a sentence without its subject, the name of the file; undefined if the file is of a different kind. */
export function unfitKeyFile(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString('latin1')
  const keys = text.match(/-----BEGIN ([A-Z]+ )?PRIVATE KEY( BLOCK)?-----/g)?.length ?? 0
  if (keys > 1) return `contains ${keys} private keys. Give a file with only the one to use.`
  const kinds = keys === 0 ? [...TEXTS, ...WITHOUT_KEY] : TEXTS
  const found = kinds.find(([pattern]) => pattern.test(text))
  if (found) return found[1]
  // Binary OpenPGP: a packet with a secret key.
  if ([0x94, 0x95, 0x96, 0x97, 0xc5].includes(bytes[0] ?? 0)) {
    return 'is a PGP key in binary. Export it as text: `gpg --armor --export-secret-keys NAME`.'
  }
  const [, encrypted] = /-----BEGIN ENCRYPTED PRIVATE KEY-----([^-]*)/.exec(text) ?? []
  if (encrypted !== undefined && hasWeakCipher(Buffer.from(encrypted, 'base64'))) {
    return WEAKLY_ENCRYPTED
  }
  return bytes[0] === 0x30 ? binary(Buffer.from(bytes)) : undefined
}

/** Does the same for a file in DER. */
function binary(der: Buffer): string | undefined {
  // A PKCS#12 file begins with version 3 and contains PKCS#7.
  if (der.subarray(0, 12).includes(Buffer.from('020103', 'hex')) && der.includes(PKCS7)) {
    return 'is a PKCS#12 file. Extract the key with `openssl pkcs12 -in FILE -nocerts -noenc -out key.pem` (for an old file with -legacy).'
  }
  if (works(() => new X509Certificate(der))) return CERTIFICATE
  const types = ['pkcs8', 'pkcs1', 'sec1'] as const
  if (types.some((type) => works(() => createPrivateKey({ key: der, format: 'der', type })))) {
    return 'is a private key in binary (DER). Convert it with `openssl pkey -inform DER -in FILE -out key.pem`.'
  }
  if (
    (['spki', 'pkcs1'] as const).some((type) =>
      works(() => createPublicKey({ key: der, format: 'der', type })),
    )
  ) {
    return PUBLIC_KEY
  }
  if (der.includes(PKCS5)) {
    return 'is an encrypted private key in binary (DER). Convert it with `openssl pkcs8 -inform DER -in FILE | openssl pkey -aes256 -out key.pem`.'
  }
  return undefined
}

const PKCS7 = Buffer.from('06092a864886f70d0107', 'hex')
const PKCS5 = Buffer.from('06092a864886f70d0105', 'hex')
/** PBE with MD2 or MD5, or with DES or RC2; PKCS#12's with RC4 or RC2; and single DES and RC2 in PBES2. */
const WEAK = [
  ...['01', '03', '04', '06', '0a', '0b'].map((last) => `06092a864886f70d0105${last}`),
  ...['01', '02', '05', '06'].map((last) => `060a2a864886f70d010c01${last}`),
  ...['06052b0e030207', '06082a864886f70d0302'],
].map((hex) => Buffer.from(hex, 'hex'))

// The algorithms come before the encrypted key itself.
const hasWeakCipher = (der: Buffer): boolean => WEAK.some((id) => der.subarray(0, 120).includes(id))

function works(parse: () => unknown): boolean {
  try {
    parse()
    return true
  } catch {
    return false
  }
}
