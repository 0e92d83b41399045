/**
 * A change and its audit log entry are stored in one transaction: both, or neither. An operation that changes something
 * gets stores on that transaction from here, and records what it did before the transaction commits.
 */
import type { Stores, TransactionStores } from './stores.ts'

/** Who makes a change, and from where. */
export interface Author {
  /** `operator`, `account:USERNAME`, `device-key:ID`, `issuer:URL` (one of its jobs) or `service`. */
  readonly actor: string
  /** An address, or `command line` and the system's user for the operator. */
  readonly source: string
  /** Added to the details of each of the author's entries: the credential and role they used (A20). */
  readonly details?: Details
}

/** Contains no secrets: no token, password or key. */
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

/** The stores that a change uses, on its transaction. */
export interface InChange extends TransactionStores, Recording {}

/**
 * Runs `work` with stores on one transaction. `work` can run more than once, must not use any other store,
 * and must record whatever it changes. If it changes nothing, it records nothing.
 */
export type Changing<On = InChange> = <T>(work: (on: On) => Promise<T>) => Promise<T>

/** A {@link Changing} for an author who is only known once a request arrives. */
export type ChangingBy<On = InChange> = (author: Author) => Changing<On>

declare module './stores.ts' {
  interface Stores {
    readonly changeBy: ChangingBy
  }
}

/** The stores of operations whose author is always the same. */
export interface AuthoredStores extends Stores {
  readonly change: Changing
}

/** A dry run makes the whole change and then rolls it back, so that it is refused for the same reasons. */
export async function changeUnlessDry<On, T>(
  dryRun: boolean,
  change: Changing<On>,
  work: (on: On) => Promise<T>,
): Promise<T> {
  if (!dryRun) return change(work)
  const results: { readonly value: T }[] = []
  const undo = new Error('rollback of a dry run')
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

/** Returns a `changeBy` that rolls back all its changes. */
export const undone =
  <On>(changeBy: ChangingBy<On>): ChangingBy<On> =>
  (author) =>
  (work) =>
    changeUnlessDry(true, changeBy(author), work)

/** Returns the stores for a request. Those for a dry run roll back all their changes. */
export const tried = <Deps extends { readonly changeBy: ChangingBy }>(
  { dryRun }: { readonly dryRun: boolean },
  deps: Deps,
): Deps => (dryRun ? { ...deps, changeBy: undone(deps.changeBy) } : deps)

export const accountActor = (username: string): string => `account:${username}`
export const jobActor = (issuerUrl: string): string => `issuer:${issuerUrl}`
export const deviceKeyActor = (deviceKeyId: string): string => `device-key:${deviceKeyId}`

/** All actions, as `ratafia audit` shows them. A published name keeps its meaning. */
export const ACTIONS = {
  'account.add': 'an account was created, by the operator or by a first login',
  'account.disable': 'an account was disabled',
  'account.enable': 'a disabled account was enabled again',
  'account.remove': 'an account was removed: it was closed and its personal data was deleted',
  'account.set-password': 'an account got a new password, and all its browsers were signed out',
  'account.change-password':
    'the owner of an account changed its password; all other browsers were signed out',
  'account.reset-link': 'a one-time link for setting a new password was created for an account',
  'account.sign-in-link': 'a one-time link was created that signs in to an account without its password',
  'account.reset-password':
    'a one-time link was used: an account got a new password, and all its browsers were signed out',
  'account.set-email': 'the e-mail address of an account was changed',
  'account.set-name': 'the name of an account was changed',
  'account.password-logins-off': 'programs can no longer log in with the password of an account',
  'account.password-logins-on': 'programs can log in with the password of an account again',
  'account.reminders-off': 'an account no longer gets reminder e-mails about what expires soon',
  'account.reminders-on': 'an account gets reminder e-mails again',
  'second-factor.start': 'the owner of an account was shown a secret for a second factor, to be confirmed',
  'second-factor.enable': 'an account got a second factor: its password alone is no longer enough',
  'second-factor.reset': 'the operator replaced the second factor of an account, and its recovery codes',
  'second-factor.disable': 'an account lost its second factor and its recovery codes',
  'second-factor.new-recovery-codes': 'an account got new recovery codes, which replace the earlier ones',
  'second-factor.use-recovery-code': 'a recovery code was used instead of a second factor',
  'account.link': 'a user of another identity service was linked to an account',
  'account.sign-in': 'a browser signed in with the password of the account, or by a link',
  'account.sign-out': 'a browser was signed out, or its sign-in was undone because the account had changed',
  'grant.add': 'an account got a role in the administration of the service',
  'grant.remove': 'an account lost a role in the administration of the service',
  'installation.setup-link': 'a one-time link was created that sets up the installation',
  'installation.set-up':
    'the setup link was used: a browser created the first account, with the role operator, and signed in',
  'job.add': 'a job was created to work on many records',
  'job.end': 'a job ended: it was done, cancelled, stopped or failed',
  'agent.add': 'an agent was created for an account',
  'agent.remove': 'an agent was removed',
  'publisher.add': 'a CI rule was created: matching jobs of an issuer get tokens of an account',
  'publisher.disable': 'a CI rule was disabled, and the sessions it had opened were revoked',
  'publisher.remove': 'a CI rule was removed, and the sessions it had opened were revoked',
  'publisher.minted': 'a job exchanged its ID token for a token: a token session began or continued',
  'publisher.refused': 'a job proved its identity with its ID token, but got no token',
  'login.approve': 'a login was approved in a browser',
  'login.deny': 'a login was rejected in a browser',
  'token.open': 'a login was used for the first time: a token session began',
  'token.describe': 'a client described itself, and its token session got that description',
  'token.revoke': 'a token session was revoked',
  'token.shorten': 'the owner of a token session made it expire earlier',
  'token.revoke-all': 'all logins of an account were revoked, and then each of its token sessions',
  'issuer.add': 'an issuer of ID tokens for jobs was added',
  'issuer.refresh': 'an issuer of ID tokens has new keys',
  'issuer.remove':
    'an issuer of ID tokens was removed with its rules, and the sessions they had opened were revoked',
  'packages.import': 'the package directory was filled from a file',
  'key.rotate': 'a root key or key pair was added and is now used',
  'secret.rotate': 'all sealed values were sealed again under a new secret key',
  'trust.add': 'an account became a trust root',
  'trust.remove': 'an account stopped being a trust root',
  'brand.add': 'a brand was added with a signing key',
  'brand.remove': 'a brand was removed with its signing keys',
  'signing-key.add': 'a signing key was added to a brand, or enabled again',
  'signing-key.disable': 'a signing key was disabled',
  'assertion.add': 'an assertion from an import was stored',
  'assertion.sign': 'an assertion was signed with the key of a brand, at the command line',
  'model.add': 'a model was added',
  'model.update': 'the assertion of a model was replaced by a newer revision',
  'model.set-policy': 'the policy of a model was changed',
  'model.allow-remodel': 'devices of one model were allowed to remodel to another',
  'model.disallow-remodel': 'devices of one model are no longer allowed to remodel to another',
  'model.remove': 'a model was removed with its API keys and remodels',
  'api-key.add': 'an API key of a model was created or imported',
  'api-key.revoke': 'an API key was revoked',
  'allow-list.import': 'entries were added to the allow-list of a model',
  'allow-list.remove': 'entries were removed from the allow-list of a model',
  'hardware-identities.import': 'hardware identities were imported',
  'device.register': 'a device got its serial',
  'devices.expire': 'devices of a model that had waited too long for approval were removed',
  'device.wait': 'a device requested a serial and waits for approval',
  'device.approve': 'the operator approved a pending device, which gets its serial',
  'device.reject': 'the operator rejected a pending device',
  'device.revoke': 'a device was revoked',
  'device.release': 'a device was released from quarantine',
  'device.quarantine': 'a device was put into quarantine: a clone of it was seen',
  'device.enter': 'a device whose serial was signed elsewhere entered the register',
  'device.update': 'a device presented a newer revision of its serial, signed elsewhere',
  'device.supersede': 'a device lost its serial to another device key',
  'device.remove': 'a device was removed: its personal data, and its row if it never had a serial',
  'devices.export': 'devices were exported over HTTP; the details show which',
  'devices.import': 'devices were imported from a file',
  'devices.import-serial-vault': 'devices were imported from a serial vault',
  'schema.migrate': 'the schema of the database was brought up to date',
  'database.backup': 'a backup of the whole database was created',
  'database.restore': 'a backup was restored: later changes are lost',
  'audit.export': 'the log, or a part of it, was downloaded over HTTP',
  'audit.remove': 'old entries of this log were removed, as configured',
} as const satisfies Record<string, string>

export type Action = keyof typeof ACTIONS
