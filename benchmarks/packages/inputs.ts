// Creates the inputs of a comparison once for each run. Every program gets them as one JSON file.

import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SessionId } from '../../packages/api/src/index.ts'
import {
  DEFAULT_POLICY,
  encode as encodeAssertion,
  encodePublicKey,
  privateKeyFromKeyObject,
  sign,
} from '../../packages/assertions/src/index.ts'
import { encodeCaveatId, generateKeyPair } from '../../packages/macaroon/src/bakery/index.ts'
import { formatExtra, formatTimeBefore } from '../../packages/macaroon/src/conditions/index.ts'
import {
  addFirstPartyCaveat,
  bindDischarge,
  encodeBinary,
  encodeJson,
  type Macaroon,
  mint,
} from '../../packages/macaroon/src/index.ts'
import { mintRoot, mintToken } from '../../packages/server/src/tokens/root-macaroon.ts'

/** The inputs, with bytes in base64 so that every language can read the file. */
export interface Inputs {
  readonly rootKey: string
  /** A token as the server mints it, with five first-party caveats. */
  readonly token: string
  readonly tokenJson: string
  /** A root with five caveats, one of them third-party, and its bound discharge with three. */
  readonly root: string
  readonly discharge: string
  readonly rootJson: string
  readonly dischargeJson: string
  /** The condition that a holder adds. */
  readonly condition: string
  /** The text of each assertion, by name. Keys have 4096 bits, unless the name contains a different size. */
  readonly assertions: Readonly<Record<(typeof VECTORS)[number] | 'serial-request-2048', string>>
}

const VECTORS = [
  'account-acme-brand',
  'account-key-acme-brand',
  'account-key-test-root',
  'account-test-root',
  'device-session-request',
  'model-acme-core-24',
  'serial',
  'serial-request',
] as const

export function makeInputs(): Inputs {
  const [token, root, discharge] = macaroons()
  return {
    rootKey: ROOT_KEY.toString('base64'),
    token: base64(encodeBinary(token)),
    tokenJson: JSON.stringify(encodeJson(token)),
    root: base64(encodeBinary(root)),
    discharge: base64(encodeBinary(discharge)),
    rootJson: JSON.stringify(encodeJson(root)),
    dischargeJson: JSON.stringify(encodeJson(discharge)),
    condition: formatTimeBefore(EXPIRES),
    assertions: {
      ...(Object.fromEntries(VECTORS.map((name) => [name, vector(name)])) as Inputs['assertions']),
      'serial-request-2048': serialRequest2048(),
    },
  }
}

const ROOT_KEY = Buffer.alloc(32, 1)
const EXPIRES = new Date('2099-01-01T00:00:00Z')

function macaroons(): readonly [token: Macaroon, root: Macaroon, discharge: Macaroon] {
  const minted = {
    rootKey: ROOT_KEY,
    location: 'store.example',
    expires: EXPIRES,
    since: new Date('2026-01-01T00:00:00Z'),
    sessionId: '9f050d3a-e724-49a1-b582-fa86bdb4a52d' as SessionId,
    extra: formatExtra({ channels: null, packages: null, permissions: ['package_access'], storeIds: null }),
  }
  const declared = { key: 'userid', value: '3f0f8a9e2c5b4d6f8a9e2c5b4d6f8a9e' } as const
  const token = mintToken({ ...minted, id: Buffer.alloc(21, 0x81) }, declared)
  const caveatRootKey = Buffer.alloc(24, 2)
  const caveatId = encodeCaveatId({
    version: 2,
    rootKey: caveatRootKey,
    condition: 'need-declared userid is-authenticated-userid',
    thirdPartyPublicKey: generateKeyPair().publicKey,
    firstParty: generateKeyPair(),
  })
  const location = 'https://store.example/identity'
  const root = mintRoot({ ...minted, id: Buffer.alloc(29, 0x82) }, { location, caveatId, caveatRootKey })
  const discharge = [
    `declared ${declared.key} ${declared.value}`,
    'declared username someuser',
    formatTimeBefore(EXPIRES),
  ].reduce(addFirstPartyCaveat, mint({ rootKey: caveatRootKey, id: caveatId, location }))
  return [token, root, bindDischarge(root, discharge)]
}

function serialRequest2048(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = privateKeyFromKeyObject(privateKey)
  const request = sign(
    {
      type: 'serial-request',
      headers: {
        'brand-id': 'acme',
        model: 'gadget',
        'request-id': 'REQUEST',
        'device-key': encodePublicKey(key.publicKey),
      },
    },
    key,
    { signedAt: new Date('2026-01-01T00:00:00Z'), policy: DEFAULT_POLICY },
  )
  return Buffer.from(encodeAssertion(request)).toString('utf8')
}

function vector(name: string): string {
  return readFileSync(new URL(`../../packages/assertions/vectors/valid/${name}`, import.meta.url), 'utf8')
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
