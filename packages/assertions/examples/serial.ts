import { generateKeyPairSync } from 'node:crypto'
import {
  decodeStream,
  encodePublicKey,
  encodeStream,
  expectType,
  formatTimestamp,
  isReferredTo,
  privateKeyFromKeyObject,
  sign,
  trustRoots,
  verifySelfSigned,
  verifyTrust,
} from '@ratafia/assertions'

const now = new Date()
const timestamp = formatTimestamp(now)
const newKey = () => privateKeyFromKeyObject(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
// Without a policy, keys need at least 4096 bits to sign.
const options = { signedAt: now, policy: { minimumKeyBits: 2048, maximumKeyBits: 4096 } }

// A private root signs the brand's account and key, and the brand signs its model.
const [rootKey, brandKey, deviceKey] = [newKey(), newKey(), newKey()]
const account = (id: string) => {
  const about = { 'account-id': id, 'display-name': id, validation: 'unproven', timestamp }
  return sign({ type: 'account', headers: { 'authority-id': 'root', ...about } }, rootKey, options)
}
const accountKey = (id: string, { publicKey }: typeof rootKey) => {
  const about = { 'account-id': id, 'public-key-sha3-384': publicKey.id, since: timestamp }
  const body = encodePublicKey(publicKey)
  return sign({ type: 'account-key', headers: { 'authority-id': 'root', ...about }, body }, rootKey, options)
}
const roots = trustRoots([account('root'), accountKey('root', rootKey)])
const brand = { 'authority-id': 'acme', 'brand-id': 'acme', model: 'acme-board' }
const model = sign(
  { type: 'model', headers: { ...brand, series: '16', classic: 'true', timestamp } },
  brandKey,
  options,
)
const known = [account('acme'), accountKey('acme', brandKey)]

// A device sends its request, signed with the key in it, and its model.
const asked = sign(
  {
    type: 'serial-request',
    headers: {
      'brand-id': 'acme',
      model: 'acme-board',
      'request-id': 'R-1',
      'device-key': encodePublicKey(deviceKey.publicKey),
    },
  },
  deviceKey,
  options,
)
const body = encodeStream([asked, model])

// The service decodes the request (its form), verifies it (who signed it), then decides whether to grant it.
const [first, second] = decodeStream(body)
if (first === undefined || second === undefined) throw new Error('send a serial-request and a model')
const request = expectType(first, 'serial-request')
const key = verifySelfSigned(request)
const trust = {
  roots,
  now,
  find: async (type: string, primaryKey: readonly string[]) =>
    known.find((assertion) => isReferredTo(assertion, type, primaryKey)),
}
const trusted = await verifyTrust(expectType(second, 'model'), trust)
if (request.fields.model !== trusted.fields.model) throw new Error('the request is about a different model')
const serial = sign(
  {
    type: 'serial',
    headers: {
      ...brand,
      serial: 'SN-1',
      'device-key': encodePublicKey(key),
      'device-key-sha3-384': key.id,
      timestamp,
    },
  },
  brandKey,
  options,
)
// Check that a device would accept it. This fails if the key has constraints that exclude it, or no account.
await verifyTrust(serial, trust)
process.stdout.write(`${serial.primaryKey.join(' ')} is signed by ${serial.authorityId}\n`)
