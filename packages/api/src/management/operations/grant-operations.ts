/** Operations on grants: which account has which role. */
import { EmptyObjectSchema } from '../../tokens.ts'
import { type ManagementOperation, SIGNED_IN } from '../operation.ts'
import { MANAGEMENT_ROUTES } from '../routes.ts'
import { GrantSchema, GrantsQuerySchema, GrantsSchema, NewGrantSchema } from '../schemas/index.ts'

export const GRANT_OPERATIONS = {
  grants: {
    ...MANAGEMENT_ROUTES.grants,
    ...SIGNED_IN,
    summary: 'Lists grants: which account has which role, by account',
    permission: 'roles:read',
    errors: ['no-such-record'],
    query: GrantsQuerySchema,
    response: GrantsSchema,
  },
  addGrant: {
    ...MANAGEMENT_ROUTES.addGrant,
    ...SIGNED_IN,
    summary: 'Gives an account a role, for one brand or for the whole service',
    permission: 'roles:manage',
    person: true,
    recentSignIn: true,
    errors: ['no-such-record', 'already-exists'],
    body: NewGrantSchema,
    bodyRequired: true,
    response: GrantSchema,
    status: 201,
    record: true,
    actions: ['grant.add'],
  },
  removeGrant: {
    ...MANAGEMENT_ROUTES.removeGrant,
    ...SIGNED_IN,
    summary: 'Removes a role from an account: from its next request on, and within a second everywhere',
    permission: 'roles:manage',
    person: true,
    recentSignIn: true,
    errors: ['no-such-record', 'state-conflict', 'last-operator'],
    body: EmptyObjectSchema,
    response: GrantSchema,
    record: true,
    actions: ['grant.remove'],
  },
} as const satisfies Record<string, ManagementOperation>
