/** Checks of the register of devices, and of who was let in. */
import {
  AssertionError,
  type PublicKey,
  type UnverifiedAssertion,
  verifySignature,
} from '@ratafia/assertions'
import { decodeStored } from '../brands/trust/trust.ts'
import { bucketOf } from '../bucket.ts'
import type { Check, CheckDeps } from './check.ts'
import type { SerialRow } from './checkup-store.ts'

export const REGISTER_CHECKS: readonly Check[] = [
  {
    name: 'one-holder',
    holds: 'A serial of a model belongs to one device.',
    async *find({ rows }) {
      for await (const { name, devices } of rows.sharedSerials())
        yield `${devices} devices have the serial ${name}.`
    },
  },
  {
    name: 'one-serial',
    holds: 'A device key has one serial of a model.',
    async *find({ rows }) {
      for await (const { name, devices } of rows.sharedKeys())
        yield `${devices} devices have the key ${name}.`
    },
  },
  {
    name: 'serial-holders',
    holds: 'The register records for each serial which device has it, and its highest revision.',
    async *find({ rows }) {
      for await (const { name, what } of rows.wrongHolders()) yield `The holder of ${name} ${what}.`
    },
  },
  {
    name: 'buckets',
    holds: 'A device is in the bucket of its key, and no other device has its id.',
    async *find({ rows }) {
      for await (const { key, bucket, devices, example } of rows.bucketsOfKeys()) {
        const right = bucketOf(`${key}AA`)
        if (bucket !== right)
          yield `The bucket of devices with keys that begin with ${key}, such as ${example}, is ${bucket} instead of ${right} (rows: ${devices}).`
      }
      for await (const { id, devices } of rows.sharedIds()) yield `${devices} devices have the id ${id}.`
    },
  },
  {
    name: 'serial-assertions',
    holds: 'Every serial assertion decodes, and agrees with its row and its device.',
    async *find({ rows }) {
      for await (const row of rows.serialAssertions()) {
        const serial = decoded(row.encoded)
        if (typeof serial === 'string') yield `${nameOf(row)} does not decode: ${serial}.`
        else
          for (const what of differences(row, serial))
            yield `${nameOf(row)} has a different ${what} than its row.`
      }
    },
  },
  {
    name: 'serial-signatures',
    holds: 'Every serial assertion is signed with the key it names, if this database has that key.',
    async *find(deps) {
      const keys = new Map<string, PublicKey | undefined>()
      for await (const row of deps.rows.serialAssertions()) {
        const serial = decoded(row.encoded)
        // The previous check reports it.
        if (typeof serial === 'string') continue
        if (!keys.has(serial.signKeyId)) keys.set(serial.signKeyId, await publicKey(serial.signKeyId, deps))
        const key = keys.get(serial.signKeyId)
        const fault = key && signatureFault(serial, key)
        if (fault !== undefined) yield `${nameOf(row)}: ${fault}.`
      }
    },
  },
  {
    name: 'revisions',
    holds:
      'An active device that was not imported has its serial assertion; revisions are consecutive, and it has the newest.',
    async *find({ rows }) {
      for await (const { name, first, last, stored } of rows.revisionGaps()) {
        yield `${name} has ${stored} assertions, with revisions from ${first} to ${last}.`
      }
      for await (const { id, name } of rows.withoutAssertion())
        yield `The device ${id} (${name}) has no assertion.`
      for await (const { id, name, revision, newest } of rows.revisionMismatches()) {
        yield `The device ${id} (${name}) has the revision ${revision ?? 'none'}, but an assertion with the revision ${newest}.`
      }
    },
  },
  {
    name: 'decisions',
    holds: 'Every revocation and decision has a time and an author.',
    async *find({ rows }) {
      for await (const { what, id } of rows.incompleteDecisions())
        yield `The decision about the ${what} ${id} lacks a time or an author.`
    },
  },
  {
    name: 'removed',
    holds: 'A removed account or device has no personal data left.',
    async *find({ rows }) {
      for await (const { what, id } of rows.leftOfRemoved())
        yield `The ${what} ${id} was removed, but still has personal data.`
    },
  },
  {
    name: 'single-use',
    holds: 'A nonce opened one session of a device key, and a request-id one registration.',
    async *find({ rows }) {
      for await (const { table, times, example } of rows.noncesUsedTwice()) {
        yield `${times} rows of ${table} share a nonce or request-id, for example ${example}.`
      }
    },
  },
  {
    name: 'assertions',
    holds: 'Every stored account, account-key and model decodes, and agrees with its row.',
    async *find({ rows }) {
      for await (const { table, type, primary_key, revision, encoded } of rows.assertions()) {
        const assertion = decoded(encoded)
        if (typeof assertion === 'string')
          yield `${type} ${primary_key} of ${table} does not decode: ${assertion}.`
        else if (
          assertion.type !== type ||
          assertion.primaryKey.join('/') !== primary_key ||
          (revision !== null && assertion.revision !== revision)
        ) {
          yield `${type} ${primary_key} of ${table} does not agree with its row.`
        }
      }
    },
  },
  {
    name: 'models',
    holds: 'Every model has its model assertion, and every signing key its account-key.',
    async *find({ rows }) {
      for await (const { brand_id, model } of rows.models()) {
        if (!(await rows.hasAssertion('model', `16/${brand_id}/${model}`))) {
          yield `The model ${brand_id}/${model} has no assertion.`
        }
      }
      for (const { key_id, account_id } of await rows.signingKeys()) {
        if ((await rows.accountKey(key_id)) === undefined) {
          yield `The signing key ${key_id} of ${account_id} has no account-key assertion.`
        }
      }
    },
  },
]

const nameOf = ({ brand_id, model, serial, revision }: SerialRow): string =>
  `The serial assertion ${brand_id}/${model}/${serial} (revision ${revision})`

function decoded(encoded: Uint8Array): UnverifiedAssertion | string {
  try {
    return decodeStored(encoded)
  } catch (error) {
    if (error instanceof AssertionError) return error.message
    throw error
  }
}

function differences(row: SerialRow, assertion: UnverifiedAssertion): readonly string[] {
  if (assertion.type !== 'serial') return ['type']
  const { brandId, model, serial, deviceKeyId } = assertion.fields
  const compared: readonly (readonly [what: string, said: unknown, stored: unknown])[] = [
    ['name', `${brandId}/${model}/${serial}`, `${row.brand_id}/${row.model}/${row.serial}`],
    [
      'name',
      `${brandId}/${model}/${serial}`,
      `${row.device_brand_id}/${row.device_model}/${row.device_serial}`,
    ],
    ['revision', assertion.revision, row.revision],
    ['device key', deviceKeyId, row.device_key_id],
    ['authority', assertion.authorityId, row.authority_id],
    ['signing key', assertion.signKeyId, row.signing_key_id],
  ]
  return [...new Set(compared.filter(([, said, stored]) => said !== stored).map(([what]) => what))]
}

async function publicKey(keyId: string, { rows }: CheckDeps): Promise<PublicKey | undefined> {
  const encoded = await rows.accountKey(keyId)
  const assertion = encoded && decoded(encoded)
  return typeof assertion === 'object' && assertion.type === 'account-key'
    ? assertion.fields.publicKey
    : undefined
}

function signatureFault(assertion: UnverifiedAssertion, key: PublicKey): string | undefined {
  try {
    verifySignature(assertion, key)
    return undefined
  } catch (error) {
    if (error instanceof AssertionError) return error.message
    throw error
  }
}
