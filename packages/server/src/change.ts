/**
 * A change and its entry in the audit log are one transaction: both are stored, or neither. An operation that changes
 * something gets its stores here, on that transaction, and records what it did before the transaction ends.
 */
import type { Stores, TransactionStores } from './stores.ts'

/** Who makes a change, and from where. */
export interface Author {
  /** `operator`, `account:USERNAME`, `device-key:ID`, `issuer:URL` (one of its jobs) or `service`. */
  readonly actor: string
  /** An address, or for the operator, `command line` and the system's user. */
  readonly source: string
  /** Added to the details of each of their entries: through what they came, with which role (A20). */
  readonly details?: Details
}

/** No secrets: no token, no password, no key. */
export type Details = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

export interface AuditedChange {
  readonly action: Action
  /** The id or name of what was changed. */
  readonly subject: string
  readonly details?: Details
}

export interface Recording {
  /** Adds an entry to the audit log, in the transaction of the change. */
  record(change: AuditedChange): Promise<void>
}

/** The stores that a change has, on its transaction. */
export interface InChange extends TransactionStores, Recording {}

/**
 * Runs `work` with stores on one transaction. `work` may run more than once, must use no other store, and must record
 * whatever it changed; if it changed nothing, it records nothing.
 */
export type Changing<On = InChange> = <T>(work: (on: On) => Promise<T>) => Promise<T>

/** The same for an author who is known only once a request arrives. */
export type ChangingBy<On = InChange> = (author: Author) => Changing<On>

declare module './stores.ts' {
  interface Stores {
    readonly changeBy: ChangingBy
  }
}

/** For operations whose author is always the same. */
export interface AuthoredStores extends Stores {
  readonly change: Changing
}

/**
 * Runs `work` on a transaction. A dry run undoes it at its end: it makes the whole change, so that whatever would refuse
 * it does, and stores nothing of it.
 */
export async function changeUnlessDry<On, T>(
  dryRun: boolean,
  change: Changing<On>,
  work: (on: On) => Promise<T>,
): Promise<T> {
  if (!dryRun) return change(work)
  const results: { readonly value: T }[] = []
  const undo = new Error('the end of a dry run')
  try {
    return await change(async (on) => {
      results.push({ value: await work(on) })
      throw undo
    })
  } catch (error) {
    const result = results.at(-1)
    if (error !== undo || !result) throw error
    return result.value
  }
}

/** Changes that are all undone. */
export const undone =
  <On>(changeBy: ChangingBy<On>): ChangingBy<On> =>
  (author) =>
  (work) =>
    changeUnlessDry(true, changeBy(author), work)

export const accountActor = (username: string): string => `account:${username}`
export const jobActor = (issuerUrl: string): string => `issuer:${issuerUrl}`
export const deviceKeyActor = (deviceKeyId: string): string => `device-key:${deviceKeyId}`

/** The names of all changes, as `ratafia audit` shows them. A published name keeps its meaning. */
export const ACTIONS = {
  'account.add': 'an account was made, by the operator or by a first login',
  'account.disable': 'an account was disabled',
  'account.enable': 'a disabled account was enabled again',
  'account.remove': 'an account was removed: it was ended, and what was personal is gone',
  'account.set-password': 'an account got another password, and was signed out of every browser',
  'account.change-password':
    'the owner of an account changed its password, and was signed out of every other browser',
  'account.reset-link': 'a one-time link to a new password was made for an account',
  'account.sign-in-link': 'a one-time link was made that signs in to an account without its password',
  'account.reset-password':
    'a one-time link was used: an account got another password, and was signed out of every browser',
  'account.set-email': 'an account got another e-mail address',
  'account.set-name': 'an account got another name',
  'account.password-logins-off': 'programs may no longer log in with the password of an account',
  'account.password-logins-on': 'programs may log in with the password of an account again',
  'account.reminders-off': 'an account gets no more reminders by mail of what ends soon',
  'account.reminders-on': 'an account gets reminders by mail again',
  'second-factor.start': 'the owner of an account was shown a secret for a second factor, to be confirmed',
  'second-factor.enable': 'an account got a second factor: its password alone is no longer enough',
  'second-factor.reset': 'the operator replaced the second factor of an account, and its recovery codes',
  'second-factor.disable': 'an account lost its second factor and its recovery codes',
  'second-factor.new-recovery-codes': 'an account got new recovery codes, and the earlier ones ended',
  'second-factor.use-recovery-code': 'a recovery code was used in place of a second factor',
  'account.link': 'a user of another identity service was linked to an account',
  'account.sign-in': 'a browser signed in with the password of the account, or by a link',
  'account.sign-out': 'a browser was signed out, or its sign-in was undone because the account had changed',
  'grant.add': 'an account got a role in the administration of the service',
  'grant.remove': 'an account lost a role in the administration of the service',
  'job.add': 'work on many records was asked for: a job was made',
  'job.end': 'a job ended: it was done, cancelled, stopped or failed',
  'agent.add': 'an agent was made for an account',
  'agent.remove': 'an agent was removed',
  'publisher.add': 'a rule was made: it says which jobs of an issuer get tokens of an account',
  'publisher.disable': 'a rule was disabled, and the sessions that it opened were revoked',
  'publisher.remove': 'a rule was removed, and the sessions that it opened were revoked',
  'publisher.minted': 'a job got a token for its ID token: a token session began, or went on',
  'publisher.refused': 'a job proved who it is by its ID token, and got no token',
  'login.approve': 'a login was approved in a browser',
  'login.deny': 'a login was refused in a browser',
  'token.open': 'a login was used for the first time: a token session began',
  'token.describe': 'a client said what it is, and its token session got that description',
  'token.revoke': 'a token session was revoked',
  'token.shorten': 'the owner of a token session brought its end forward',
  'token.revoke-all': 'the logins of an account were ended, and then each of its token sessions was revoked',
  'issuer.add': 'an issuer of ID tokens for jobs was added',
  'issuer.refresh': 'an issuer of ID tokens has other keys',
  'issuer.remove':
    'an issuer of ID tokens was removed, with its rules, and the sessions they had opened were revoked',
  'packages.import': 'the package directory was filled from a file',
  'key.rotate': 'a root key or a key pair was added, and is in use',
  'secret.rotate': 'all sealed values were sealed again under another secret key',
  'trust.add': 'an account became a trust root',
  'trust.remove': 'an account stopped being a trust root',
  'brand.add': 'a brand was added with a signing key',
  'brand.remove': 'a brand was removed with its signing keys',
  'signing-key.add': 'a signing key was added to a brand, or enabled again',
  'signing-key.disable': 'a signing key was disabled',
  'assertion.add': 'an assertion of an import was stored',
  'assertion.sign': 'an assertion was signed with the key of a brand, at the command line',
  'model.add': 'a model was added',
  'model.update': 'the assertion of a model was replaced by a newer revision',
  'model.set-policy': 'the policy of a model was changed',
  'model.allow-remodel': 'devices of one model may become another',
  'model.disallow-remodel': 'devices of one model may no longer become another',
  'model.remove': 'a model was removed with its API keys and remodels',
  'api-key.add': 'an API key of a model was made or imported',
  'api-key.revoke': 'an API key was revoked',
  'allow-list.import': 'entries were added to the allow-list of a model',
  'allow-list.remove': 'entries were removed from the allow-list of a model',
  'hardware-identities.import': 'hardware identities were imported',
  'device.register': 'a device got its serial',
  'devices.expire': 'devices of a model that had waited too long for approval were removed',
  'device.wait': 'a device requested a serial and waits for approval',
  'device.approve': 'the operator gave a waiting device its serial',
  'device.reject': 'the operator refused a waiting device',
  'device.revoke': 'a device was revoked',
  'device.release': 'a device was let out of quarantine',
  'device.quarantine': 'a device was put into quarantine: a clone of it was seen',
  'device.enter': 'a device whose serial was signed elsewhere entered the register',
  'device.update': 'a device showed a newer revision of its serial, signed elsewhere',
  'device.supersede': 'a device lost its serial to another device key',
  'device.remove': 'a device was removed: what was personal, and its row if it never had a serial',
  'devices.export': 'devices were exported over HTTP: which ones, the details say',
  'devices.import': 'devices were imported from a file',
  'devices.import-serial-vault': 'devices were imported from a serial-vault',
  'schema.migrate': 'the schema of the database was brought up to date',
  'database.backup': 'a backup of the whole database was made',
  'database.restore': 'a backup was restored: later changes are lost',
  'audit.export': 'the log, or a part of it, was fetched over HTTP as a file',
  'audit.remove': 'old entries of this log were removed, as configured',
} as const satisfies Record<string, string>

export type Action = keyof typeof ACTIONS
