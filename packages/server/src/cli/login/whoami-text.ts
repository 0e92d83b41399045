/** The output of `ratafia whoami` and `ratafia login`: the account on a service, its roles and permissions. */
import { isObject, type JsonObject } from '../../foreign-json.ts'
import { details, type Row, tableOf } from '../output.ts'

/** Returns the text for `me`, the answer of the service. */
export function whoamiText(me: JsonObject, url: string): string {
  const { username, name, email, signed_in: how, expires, grants, permissions } = me
  const signedIn = isObject(how) ? [how['with'], how['agent'] ?? how['at']].filter(Boolean).join(' ') : null
  return [
    details({
      service: url,
      username: text(username),
      name: text(name),
      email: text(email),
      signed_in: signedIn,
      expires: text(expires),
    }),
    '',
    ...(objectsIn(grants).length === 0 ? [NO_ROLES] : rolesOf(grants, permissions)),
  ].join('\n')
}

const NO_ROLES = 'You have no role here. This token can only manage your own tokens and agents.'

function rolesOf(grants: unknown, permissions: unknown): readonly string[] {
  const columns = ['role', 'brand', 'granted_by', 'expires_at']
  return [
    'Roles',
    tableOf(rowsOf(grants, columns), columns),
    '',
    'Permissions of this token',
    tableOf(
      objectsIn(permissions).map(({ permission, brands }) => ({
        permission: text(permission),
        brands: Array.isArray(brands) ? brands.join(' ') : 'all',
      })),
      ['permission', 'brands'],
    ),
  ]
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []
const rowsOf = (value: unknown, names: readonly string[]): readonly Row[] =>
  objectsIn(value).map((one) => Object.fromEntries(names.map((name) => [name, text(one[name])])))
