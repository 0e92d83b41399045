// All types that this package knows, one row each (contract/devices.md 3.7). Unknown types are refused.

import { account } from './account.ts'
import { accountKey, accountKeyRequest } from './account-key.ts'
import { hardwareIdentity } from './hardware-identity.ts'
import { model } from './model.ts'
import type { TypeRow } from './row.ts'
import { deviceSessionRequest, serial, serialRequest } from './serial.ts'
import { store } from './store.ts'

const ROWS = {
  account,
  'account-key': accountKey,
  'account-key-request': accountKeyRequest,
  'device-session-request': deviceSessionRequest,
  'hardware-identity': hardwareIdentity,
  model,
  serial,
  'serial-request': serialRequest,
  store,
}

export type TypeName = keyof typeof ROWS

/** The result of a type's {@link TypeRow.read}. */
export type FieldsOf<Type extends TypeName> = ReturnType<(typeof ROWS)[Type]['read']>

export const TYPES: { readonly [Type in TypeName]: TypeRow<FieldsOf<Type>> } = ROWS
export const TYPE_NAMES = Object.keys(ROWS) as readonly TypeName[]

export function isTypeName(name: string): name is TypeName {
  return Object.hasOwn(ROWS, name)
}
