/** Creates an account. */
import { newAccountId, type Username } from '@ratafia/api'
import { type Authority, requireForAll } from '../authority.ts'
import { invalidField, RequestError } from '../errors.ts'
import type { Stores } from '../stores.ts'
import { type Account, NEW_ACCOUNT } from './account.ts'
import { checkDisplayName, checkEmail, checkUsername } from './account-fields.ts'
import type { AccountStore } from './account-store.ts'
import { chosenPasswordBytes } from './passwords/password.ts'

export interface AddAccountInput {
  readonly username: string
  readonly email: string
  readonly name: string
  /** Without one, the account can't sign in with a password; its agents can still log in. */
  readonly password?: string | undefined
  readonly authority: Authority
}

/**
 * Adds the account. Throws {@link RequestError}: `permission-denied`; `already-exists` for a username that is
 * taken; `invalid-field` if a field breaks its rule, or if the account has a password and another one with a
 * password has its e-mail address.
 */
export async function addAccount(
  input: AddAccountInput,
  { clock, passwords, changeBy }: Stores,
): Promise<Account> {
  const { authority } = input
  requireForAll(authority, 'accounts:manage')
  const fields = {
    id: newAccountId(),
    username: checkUsername(input.username),
    email: checkEmail(input.email),
    name: checkDisplayName(input.name),
    createdAt: clock(),
  }
  const bytes = input.password === undefined ? undefined : chosenPasswordBytes(input.password)
  const passwordHash = bytes && (await passwords.hash(bytes))
  await changeBy(authority.author)(async ({ accounts, record }) => {
    if (!(await accounts.insert({ ...fields, passwordHash }))) throw await taken(fields, accounts)
    await record({ action: 'account.add', subject: fields.username, details: { id: fields.id } })
  })
  return { ...NEW_ACCOUNT, ...fields, hasPassword: passwordHash !== undefined }
}

async function taken(
  { username, email }: { readonly username: Username; readonly email: string },
  accounts: AccountStore,
): Promise<RequestError> {
  if (await accounts.findByUsername(username)) {
    return new RequestError('already-exists', `The username "${username}" is taken. Choose another one.`, {
      extra: { kind: 'account', id: username },
    })
  }
  return invalidField(
    `Another account with a password has the e-mail address ${email}. Each needs its own, because people log in with it.`,
    { field: 'email' },
  )
}
