// The program that measures our packages. See rates.ts.

import {
  decode,
  expectType,
  type FindAssertion,
  isReferredTo,
  type PublicKey,
  trustRoots,
  verifySelfSigned,
  verifySignature,
  verifyTrust,
} from '../../packages/assertions/src/index.ts'
import {
  addFirstPartyCaveat,
  decodeBase64,
  decodeBinary,
  decodeJson,
  encodeBinary,
  type UnverifiedSlice,
  verify,
} from '../../packages/macaroon/src/index.ts'
import type { Inputs } from './inputs.ts'
import { printRates } from './rates.ts'

await printRates((inputs) => ({ ...macaroons(inputs), ...assertions(inputs) }))

function macaroons(inputs: Inputs): Record<string, () => unknown> {
  const { rootKey, token, root, discharge } = Object.fromEntries(
    Object.entries({ ...inputs, assertions: '' }).map(([name, text]) => [name, Buffer.from(text, 'base64')]),
  ) as Record<string, Buffer>
  if (!rootKey || !token || !root || !discharge) throw new Error('an input is missing')
  const readSlice = (): UnverifiedSlice => [
    decodeJson(JSON.parse(inputs.rootJson)),
    decodeJson(JSON.parse(inputs.dischargeJson)),
  ]
  const tokenRead = decodeBinary(token)
  const sliceRead = readSlice()
  return {
    'decode token, binary': () => decodeBinary(token),
    'decode token, JSON': () => decodeJson(JSON.parse(inputs.tokenJson)),
    'decode root and discharge, JSON': readSlice,
    'verify token': () => verify(tokenRead, rootKey),
    'verify root and discharge': () => verify(sliceRead, rootKey),
    'decode and verify token, base64': () => verify(decodeBinary(decodeBase64(inputs.token)), rootKey),
    'decode and verify root and discharge, JSON': () => verify(readSlice(), rootKey),
    'attenuate token, encode binary': () => encodeBinary(addFirstPartyCaveat(tokenRead[0], inputs.condition)),
  }
}

function assertions({ assertions: texts }: Inputs): Record<string, () => unknown> {
  const read = (name: keyof typeof texts) => decode(texts[name])
  const bytes = (name: keyof typeof texts) => Buffer.from(texts[name])
  const [serialText, modelText] = [bytes('serial'), bytes('model-acme-core-24')]
  const [requestText, smallText] = [bytes('serial-request'), bytes('serial-request-2048')]
  const sessionText = bytes('device-session-request')
  const serial = expectType(read('serial'), 'serial')
  const session = read('device-session-request')
  const brandKey = expectType(read('account-key-acme-brand'), 'account-key')
  const deviceKey: PublicKey = serial.fields.deviceKey
  const request = expectType(read('serial-request'), 'serial-request')
  const small = expectType(read('serial-request-2048'), 'serial-request')
  const known = [read('account-acme-brand'), brandKey]
  const find: FindAssertion = (type, primaryKey) => known.find((a) => isReferredTo(a, type, primaryKey))
  const roots = trustRoots([read('account-test-root'), read('account-key-test-root')])
  return {
    'decode serial': () => decode(serialText),
    'decode model': () => decode(modelText),
    'decode serial-request': () => decode(requestText),
    'decode device-session-request': () => decode(sessionText),
    'verify serial, RSA-4096': () => verifySignature(serial, brandKey.fields.publicKey),
    'verify serial-request, RSA-4096': () => verifySelfSigned(request),
    'verify serial-request, RSA-2048': () => verifySelfSigned(small),
    'verify device-session-request, RSA-4096': () => verifySignature(session, deviceKey),
    'decode and verify serial-request, RSA-4096': () =>
      verifySelfSigned(expectType(decode(requestText), 'serial-request')),
    'decode and verify serial-request, RSA-2048': () =>
      verifySelfSigned(expectType(decode(smallText), 'serial-request')),
    'trust chain of 3 signatures, RSA-4096': () => verifyTrust(serial, { roots, find, now: new Date() }),
  }
}
