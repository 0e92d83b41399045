/**
 * Lets users enrol a second factor: they get a secret for their authenticator, and prove with a code that they have it.
 */
import type { AuthoredStores } from '../../change.ts'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { Account } from '../account.ts'
import { confirmedFactors, newTotp, openTotp, replaceRecoveryCodes, shownTotp } from './second-factor.ts'
import type { SecondFactor } from './second-factor-store.ts'
import { useTimeCode } from './use-code.ts'

/** How long an unconfirmed secret is valid. */
const ENROLMENT_MS = 30 * 60_000

/** Stores a new secret, and replaces an unconfirmed one. Throws `invalid-field` if the account has a second factor. */
export async function startEnrolment(account: Account, stores: AuthoredStores): Promise<void> {
  if ((await confirmedFactors(account.id, stores)).length > 0) throw hasOne()
  const { factor } = newTotp(account.id, false, stores)
  await stores.change(async ({ accounts, secondFactors, record }) => {
    if (!(await accounts.keep(account.id))) return
    await secondFactors.removeUnconfirmed(account.id)
    // If another page started an enrolment at the same moment, its secret is used instead.
    if (await secondFactors.insert(factor)) {
      await record({
        action: 'second-factor.start',
        subject: account.username,
        details: { kind: factor.kind },
      })
    }
  })
}

/** Returns the secret for the authenticator; undefined if no enrolment was started recently. */
export async function enrolment(
  account: Account,
  issuer: string,
  stores: Stores,
): Promise<{ readonly secret: string; readonly uri: string } | undefined> {
  const waiting = await waitingFactor(account, stores)
  return waiting && shownTotp(openTotp(waiting, stores), issuer, account)
}

/**
 * Confirms the enrolment and returns the recovery codes; undefined if the code is wrong. Throws
 * `invalid-field` if there is nothing to confirm.
 */
export async function confirmEnrolment(
  { account, code }: { readonly account: Account; readonly code: string },
  stores: AuthoredStores,
): Promise<readonly string[] | undefined> {
  const waiting = await waitingFactor(account, stores)
  if (!waiting) throw nothingToConfirm()
  if (!(await useTimeCode(waiting, code, stores))) return undefined
  return stores.change(async (on) => {
    const now = stores.clock()
    if (!(await on.secondFactors.confirm(waiting.id, now))) throw nothingToConfirm()
    const codes = await replaceRecoveryCodes(account.id, on, now)
    await on.record({
      ...{ action: 'second-factor.enable', subject: account.username },
      details: { kind: waiting.kind },
    })
    return codes
  })
}

async function waitingFactor(
  { id }: Account,
  { secondFactors, clock }: Stores,
): Promise<SecondFactor | undefined> {
  const since = clock().getTime() - ENROLMENT_MS
  return (await secondFactors.of(id)).find(
    ({ kind, confirmedAt, createdAt }) =>
      kind === 'totp' && confirmedAt === undefined && createdAt.getTime() > since,
  )
}

const hasOne = () => invalidField('Your account already has a second factor. Turn it off first.')

const nothingToConfirm = () =>
  invalidField(
    'There is no secret to confirm: it is older than half an hour, or confirmed already. Start again.',
  )
