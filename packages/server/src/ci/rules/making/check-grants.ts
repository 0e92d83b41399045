/** Checks the grants of a rule (contract/oidc.md, A10). */
import { isPermission, PERMISSIONS } from '@ratafia/api'
import type { FieldProblem } from '../../../errors.ts'
import { readLimits, type WantedAttenuations } from '../../../tokens/wanted-limits.ts'
import type { Grants } from '../rule.ts'

export interface WantedGrants extends WantedAttenuations {
  /** Whether a job may register package names. */
  readonly allowRegister?: boolean | undefined
}

/** Permissions that a leaked token, or a job under an attacker's control, must not have. */
export const NEVER_GRANTED: readonly string[] = [
  'edit_account',
  'modify_account_key',
  'store_admin',
  'store_review',
  'package_purchase',
]

const REGISTER = 'package_register'

const OURS: ReadonlySet<string> = new Set(PERMISSIONS)

/** Returns the grants, or every problem with them, by the fields of the management API. */
export function checkGrants({
  allowRegister = false,
  ...wanted
}: WantedGrants): { readonly grants: Grants } | { readonly problems: readonly FieldProblem[] } {
  const { limits, problems } = readLimits(wanted)
  const { permissions, packages } = limits
  const all = [
    ...problems,
    ...(permissions === null
      ? [at('permissions', 'A rule must name the permissions of its tokens: pass --permission.')]
      : []),
    ...(packages === null
      ? [at('packages', 'A rule must name the packages of its tokens: pass --package.')]
      : []),
    ...permissionProblems(permissions ?? [], allowRegister).map((message) => at('permissions', message)),
  ]
  if (permissions === null || packages === null || all.length > 0) return { problems: all }
  return { grants: { ...limits, permissions, packages } }
}

const at = (field: string, message: string): FieldProblem => ({ field, message })

function permissionProblems(permissions: readonly string[], allowRegister: boolean): readonly string[] {
  const problems: string[] = []
  const never = permissions.filter((permission) => NEVER_GRANTED.includes(permission))
  if (never.length > 0) problems.push(`A rule cannot grant ${never.join(', ')}. Remove it.`)
  // Permissions of publisher gateways never imply one of ours, and `POST /api/v2/tokens` does not accept them.
  const others = permissions.filter((permission) => isPermission(permission) && !OURS.has(permission))
  if (others.length > 0) {
    problems.push(`A rule cannot grant ${others.join(', ')}. Rules grant permissions of the tokens API.`)
  }
  if (permissions.includes(REGISTER) && !allowRegister) {
    problems.push(`${REGISTER} lets jobs register names. To allow that, also pass --allow-register.`)
  }
  return problems
}
