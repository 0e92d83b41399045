/** How a person gets a second factor by themselves: a secret for their authenticator, and a code that shows they have it. */
import type { AuthoredStores } from '../../change.ts'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { Account } from '../account.ts'
import { confirmedFactors, newTotp, openTotp, replaceRecoveryCodes, shownTotp } from './second-factor.ts'
import type { SecondFactor } from './second-factor-store.ts'
import { useTimeCode } from './use-code.ts'

/** How long a secret waits to be confirmed. */
const ENROLMENT_MS = 30 * 60_000

/** Stores a new secret in place of an unconfirmed one. Throws `invalid-field` when the account has a second factor. */
export async function startEnrolment(account: Account, stores: AuthoredStores): Promise<void> {
  if ((await confirmedFactors(account.id, stores)).length > 0) throw hasOne()
  const { factor } = newTotp(account.id, false, stores)
  await stores.change(async ({ accounts, secondFactors, record }) => {
    if (!(await accounts.keep(account.id))) return
    await secondFactors.removeUnconfirmed(account.id)
    // Another page may have started at the same moment: its secret is as good.
    if (await secondFactors.insert(factor)) {
      await record({
        action: 'second-factor.start',
        subject: account.username,
        details: { kind: factor.kind },
      })
    }
  })
}

/** What the authenticator is to be given. Undefined when no enrolment was started lately. */
export async function enrolment(
  account: Account,
  issuer: string,
  stores: Stores,
): Promise<{ readonly secret: string; readonly uri: string } | undefined> {
  const waiting = await waitingFactor(account, stores)
  return waiting && shownTotp(openTotp(waiting, stores), issuer, account)
}

/** The recovery codes; undefined when the code is wrong. Throws `invalid-field` when there is nothing to confirm. */
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

const hasOne = () => invalidField('Your account has a second factor already. Turn it off first.')

const nothingToConfirm = () =>
  invalidField('There is no secret to confirm: it is older than half an hour, or was confirmed. Start again.')
