import { accountId, optionalText, text, timestamp } from '../headers/header-checks.ts'
import type { TypeRow } from './row.ts'

export interface AccountFields {
  readonly accountId: string
  readonly displayName: string
  readonly username: string | undefined
  /** `unproven`, `verified`, … An old `certified` reads as `verified`. */
  readonly validation: string
  readonly timestamp: Date
}

/** A trusted account's statement of whom an account belongs to. */
export const account: TypeRow<AccountFields> = {
  authority: true,
  primaryKey: ['account-id'],
  maxFormat: 0,
  read: ({ headers }) => {
    const validation = text(headers, 'validation')
    return {
      accountId: accountId(headers, 'account-id'),
      displayName: text(headers, 'display-name'),
      username: optionalText(headers, 'username'),
      validation: validation === 'certified' ? 'verified' : validation,
      timestamp: timestamp(headers),
    }
  },
}
