/** The version of a rule: with it the audit log shows what a rule said when it gave a token. */
import { createHash } from 'node:crypto'
import type { Rule } from '../rule.ts'

/** Everything that a rule says. */
export type Said = Pick<
  Rule,
  'name' | 'issuerId' | 'accountId' | 'match' | 'grants' | 'lifetime' | 'createdAt'
>

/** SHA-256, in hexadecimal, of a JSON list as `JSON.stringify` writes it. A rule that is made again has another one. */
export function versionOf({ name, issuerId, accountId, match, grants, lifetime, createdAt }: Said): string {
  const { permissions, packages, channels, storeIds } = grants
  const said = [
    ...[name, issuerId, accountId, match],
    ...[permissions, packages, channels, storeIds, lifetime, createdAt.getTime()],
  ]
  return createHash('sha256').update(JSON.stringify(said)).digest('hex')
}
