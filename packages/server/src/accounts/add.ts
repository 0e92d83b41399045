/** Makes an account. */
import { newAccountId } from '@ratafia/api'
import { invalidField } from '../errors.ts'
import type { Account } from './account.ts'
import type { AccountDeps } from './account-deps.ts'
import { checkDisplayName, checkEmail, checkUsername } from './account-fields.ts'
import { chosenPasswordBytes } from './passwords/password.ts'

export interface AddAccountInput {
  readonly username: string
  readonly email: string
  readonly name: string
  /** Without one the account cannot sign in with a password; its agents still can. */
  readonly password?: string | undefined
}

/** Throws `invalid-field` when a field breaks its rule or the username is taken. */
export async function addAccount(
  input: AddAccountInput,
  deps: Pick<AccountDeps, 'passwords' | 'change' | 'clock'>,
): Promise<Account> {
  const fields = {
    id: newAccountId(),
    username: checkUsername(input.username),
    email: checkEmail(input.email),
    name: checkDisplayName(input.name),
    createdAt: deps.clock(),
  }
  const bytes = input.password === undefined ? undefined : chosenPasswordBytes(input.password)
  const passwordHash = bytes && (await deps.passwords.hash(bytes))
  const added = await deps.change(async ({ accounts, record }) => {
    const inserted = await accounts.insert({ ...fields, passwordHash })
    if (inserted)
      await record({ action: 'account.add', subject: fields.username, details: { id: fields.id } })
    return inserted
  })
  if (!added) {
    throw invalidField(`The username "${fields.username}" is taken. Choose another one.`, {
      field: 'username',
    })
  }
  return { ...fields, hasPassword: passwordHash !== undefined, disabledAt: undefined, loginsSince: undefined }
}
