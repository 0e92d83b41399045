import {
  accountId,
  faulty,
  modelName,
  optionalAccountIds,
  optionalBoolean,
  optionalText,
  text,
  timestamp,
} from '../headers/header-checks.ts'
import { quote } from '../text.ts'
import { checkModelRules } from './model/rules.ts'
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
  /** The accounts besides the brand that may sign serials of this model. */
  readonly serialAuthority: readonly string[]
  readonly timestamp: Date
}

/**
 * A brand's definition of a kind of device. Identity depends on its fields; its rules are what a device also checks.
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
    if (headers.get('system-user-authority') !== '*') optionalAccountIds(headers, 'system-user-authority')
    optionalAccountIds(headers, 'preseed-authority')
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
  rules: checkModelRules,
}
