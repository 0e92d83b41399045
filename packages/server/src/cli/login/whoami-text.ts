/** The output of `ratafia whoami` and `ratafia login`: the account on a service, its roles and permissions. */
import { isObject, type JsonObject, objectsIn } from '../../foreign-json.ts'
import { details, tableOf } from '../output.ts'

const NO_ROLES = 'You have no role here. This token can only manage your own tokens and agents.'
const ROLE_COLUMNS = ['role', 'brand', 'granted_by', 'expires_at']

/** Returns the text for `me`, the answer of the service. */
export function whoamiText(me: JsonObject, url: string): string {
  const { signed_in: how, grants, permissions } = me
  const signedIn = isObject(how) ? [how['with'], how['agent'] ?? how['at']].filter(Boolean).join(' ') : null
  const { username, name, email, expires } = texts(me, ['username', 'name', 'email', 'expires'])
  const roles = objectsIn(grants).map((grant) => texts(grant, ROLE_COLUMNS))
  return [
    details({ service: url, username, name, email, signed_in: signedIn, expires }),
    '',
    ...(roles.length === 0
      ? [NO_ROLES]
      : ['Roles', tableOf(roles, ROLE_COLUMNS), '', ...rights(permissions)]),
  ].join('\n')
}

function rights(permissions: unknown): readonly string[] {
  const rows = objectsIn(permissions).map(({ permission, brands }) => ({
    ...texts({ permission }, ['permission']),
    brands: Array.isArray(brands) ? brands.join(' ') : 'all',
  }))
  return ['Permissions of this token', tableOf(rows, ['permission', 'brands'])]
}

/** Returns the fields that are text; null for others. */
const texts = (record: JsonObject, names: readonly string[]): Readonly<Record<string, string | null>> =>
  Object.fromEntries(names.map((name) => [name, textOf(record[name])]))

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
