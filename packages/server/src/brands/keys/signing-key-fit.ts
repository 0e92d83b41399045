/** Checks whether a key can sign serials, when it is added and before each signature (contract/devices.md, 12). */
import {
  type Constraints,
  checkKeyPolicy,
  checkKeyValidNow,
  constraintsAllow,
  expectType,
  SIGNING_POLICY,
  type TrustContext,
  type UnverifiedAssertion,
  verifyTrust,
} from '@ratafia/assertions'
import { invalidField } from '../../errors.ts'
import { explainToOperator, explainToOperatorAsync } from '../assertion-file.ts'

/**
 * Checks an account-key assertion on its own: its chain reaches a root, it is valid now and strong enough, and its
 * constraints permit serials. Throws `invalid-field` with the reason.
 */
export async function checkSigningKey(
  accountKey: UnverifiedAssertion<'account-key'>,
  context: TrustContext,
): Promise<void> {
  const { publicKeyId, publicKey, accountId, constraints } = accountKey.fields
  const what = `The key ${publicKeyId} of ${accountId} cannot sign serials`
  await explainToOperatorAsync(
    async () => expectType(await verifyTrust(accountKey, context), 'account-key'),
    what,
  )
  explainToOperator(() => {
    checkKeyValidNow(accountKey, context.now)
    checkKeyPolicy(publicKey, SIGNING_POLICY)
  }, what)
  if (allowsSerials(constraints, accountId)) return
  throw invalidField(
    `${what}: its constraints allow no serial assertion. Ask the issuer of the account-key for one that can sign serials.`,
  )
}

/**
 * Checks whether the constraints allow any serial of this authority. Ignores constraints on model, serial
 * number and the like, which are known only when there is a serial to sign.
 */
function allowsSerials(constraints: Constraints | undefined, accountId: string): boolean {
  const known = new Map([
    ['type', 'serial'],
    ['authority-id', accountId],
  ])
  const general = constraints?.map((entry) => new Map([...entry].filter(([name]) => known.has(name))))
  return constraintsAllow(general, known)
}
