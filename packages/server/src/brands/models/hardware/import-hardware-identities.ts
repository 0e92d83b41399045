/** Imports hardware-identity assertions, which contain the keys built into boards (contract/devices.md 2.6). */
import { createHash } from 'node:crypto'
import {
  checkReplaces,
  encode,
  type TrustContext,
  type UnverifiedAssertion,
  verifyTrust,
} from '@ratafia/assertions'
import { type Authority, requireForAll } from '../../../authority.ts'
import { invalidField } from '../../../errors.ts'
import type { Stores, TransactionStores } from '../../../stores.ts'
import {
  explainToOperator,
  explainToOperatorAsync,
  type NamedFile,
  readAssertions,
} from '../../assertion-file.ts'
import { checkAssertions, decodeStored, trustContext } from '../../trust/trust.ts'
import type { StoredHardwareIdentity } from './hardware-identity-store.ts'

type Identity = UnverifiedAssertion<'hardware-identity'>

/**
 * Imports all identities or none. The files can also contain the account and account-key assertions that the chains
 * need. Returns how many identities were given. They do not belong to a brand: a board can be built into the models of
 * several. Throws `permission-denied`, and `invalid-field` if a chain reaches no root, an assertion has a different
 * type, or a revision is not newer than the stored one.
 */
export async function importHardwareIdentities(
  files: readonly NamedFile[],
  {
    authority,
    onProgress,
  }: { readonly authority: Authority; readonly onProgress?: (done: number, total: number) => void },
  stores: Stores,
): Promise<{ readonly imported: number }> {
  requireForAll(authority, 'models:manage')
  const identities = new Map<string, Identity>()
  const others: UnverifiedAssertion[] = []
  for (const { file, assertion } of files.flatMap((file) =>
    readAssertions(file).map((assertion) => ({ file, assertion })),
  )) {
    if (assertion.type === 'account' || assertion.type === 'account-key') others.push(assertion)
    else if (assertion.type !== 'hardware-identity') {
      throw invalidField(`${file.name} has a ${assertion.type} assertion. Give hardware-identity assertions.`)
    } else {
      const name = assertion.primaryKey.join('/')
      if (identities.has(name))
        throw invalidField(`${file.name} has the hardware-identity ${name}, which was already given.`)
      identities.set(name, assertion)
    }
  }
  if (identities.size === 0) throw invalidField('The files have no hardware-identity assertion.')
  const rows = await checkAssertions(others, stores)
  const context = await trustContext(stores, others)
  const stored: StoredHardwareIdentity[] = []
  for (const identity of identities.values()) {
    stored.push(await checkIdentity(identity, context, stores))
    onProgress?.(stored.length, 2 * identities.size)
  }
  return stores.changeBy(authority.author)(async ({ assertions, hardwareIdentities, record }) => {
    const at = stores.clock()
    await assertions.put(rows, at)
    await hardwareIdentities.put(stored, {
      at,
      onProgress: (done) => onProgress?.(identities.size + done, 2 * identities.size),
    })
    const subject = [...new Set(stored.map(({ issuerId }) => issuerId))].join(' ')
    await record({ action: 'hardware-identities.import', subject, details: { imported: stored.length } })
    return { imported: stored.length }
  })
}

async function checkIdentity(
  identity: Identity,
  context: TrustContext,
  { hardwareIdentities }: TransactionStores,
): Promise<StoredHardwareIdentity> {
  const { issuerId, hardwareKeyId, manufacturer, hardwareName, hardwareId } = identity.fields
  const what = `The hardware-identity ${identity.primaryKey.join('/')}`
  await explainToOperatorAsync(() => verifyTrust(identity, context), `${what} is not valid`)
  const present = await hardwareIdentities.findByKey('sha3-384', hardwareKeyId)
  const before = present.find((one) => one.issuerId === issuerId)
  const encoded = encode(identity)
  if (before && Buffer.compare(before.encoded, encoded) !== 0) {
    explainToOperator(() => checkReplaces(identity, decodeStored(before.encoded)), `${what} is not stored`)
  }
  return {
    issuerId,
    keySha3: hardwareKeyId,
    // Over the same text as the SHA3 digest: no publication defines the older name of the header.
    keySha2: createHash('sha384')
      .update(String(identity.headers.get('hardware-id-key')))
      .digest('base64url'),
    manufacturer,
    hardwareName,
    hardwareId,
    revision: identity.revision,
    encoded,
  }
}
