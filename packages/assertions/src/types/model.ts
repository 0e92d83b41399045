import {
  accountId,
  faulty,
  modelName,
  optionalAccountIds,
  optionalBoolean,
  optionalText,
  optionalTextList,
  text,
  timestamp,
} from '../headers/header-checks.ts'
import { type Headers, isList } from '../headers/header-value.ts'
import { quote } from '../text.ts'
import type { TypeRow } from './row.ts'

export interface ModelFields {
  readonly series: string
  readonly brandId: string
  readonly model: string
  readonly displayName: string | undefined
  readonly store: string | undefined
  readonly classic: boolean
  readonly architecture: string | undefined
  readonly base: string | undefined
  readonly grade: string | undefined
  /** Accounts that may sign serials of this model besides the brand. */
  readonly serialAuthority: readonly string[]
  readonly timestamp: Date
}

/**
 * What a brand's device is. The rules of `snaps` and of the snaps named elsewhere are left to snapd and the
 * brand: this reads what identity depends on.
 */
export const model: TypeRow<ModelFields> = {
  authority: true,
  primaryKey: ['series', 'brand-id', 'model'],
  maxFormat: 0,
  read: ({ headers, authorityId }) => {
    const brandId = accountId(headers, 'brand-id')
    if (authorityId !== brandId) {
      const fault = `is ${quote(brandId)}, but ${quote(authorityId)} signs: only the brand signs its models`
      throw faulty('brand-id', fault, 'header-mismatch')
    }
    const classic = optionalBoolean(headers, 'classic') ?? false
    for (const name of requiredHeaders(headers, classic)) text(headers, name)
    checkLists(headers)
    return {
      series: text(headers, 'series'),
      brandId,
      model: modelName(headers),
      displayName: optionalText(headers, 'display-name'),
      store: optionalText(headers, 'store'),
      classic,
      architecture: optionalText(headers, 'architecture'),
      base: optionalText(headers, 'base'),
      grade: optionalText(headers, 'grade'),
      serialAuthority: optionalAccountIds(headers, 'serial-authority') ?? [],
      timestamp: timestamp(headers),
    }
  },
}

function requiredHeaders(headers: Headers, classic: boolean): readonly string[] {
  if (headers.has('snaps')) return ['architecture', 'base', ...(classic ? ['distribution'] : [])]
  return classic ? [] : ['architecture', 'gadget', 'kernel']
}

function checkLists(headers: Headers): void {
  if (headers.has('snaps') && !isList(headers.get('snaps'))) throw faulty('snaps', 'is not a list of maps')
  if (headers.get('system-user-authority') !== '*') optionalAccountIds(headers, 'system-user-authority')
  optionalAccountIds(headers, 'preseed-authority')
  optionalTextList(headers, 'required-snaps')
}
