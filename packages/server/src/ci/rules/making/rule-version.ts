/** Computes the version of a rule. With it, the audit log shows a rule's content at the time of each token. */
import { createHash } from 'node:crypto'
import type { Rule } from '../rule.ts'

/** The whole content of a rule. */
export type Said = Pick<
  Rule,
  'name' | 'issuerId' | 'accountId' | 'match' | 'grants' | 'lifetime' | 'createdAt'
>

/** Returns the hexadecimal SHA-256 of a list as `JSON.stringify` writes it. A rule created again has another one. */
export function versionOf({ name, issuerId, accountId, match, grants, lifetime, createdAt }: Said): string {
  const { permissions, packages, channels, storeIds } = grants
  const said = [
    ...[name, issuerId, accountId, match],
    ...[permissions, packages, channels, storeIds, lifetime, createdAt.getTime()],
  ]
  return createHash('sha256').update(JSON.stringify(said)).digest('hex')
}
