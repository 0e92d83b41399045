/** Brands and their keys in the management API. */

import { type ManagementOperation, SIGNED_IN } from '../operation.ts'
import { MANAGEMENT_ROUTES } from '../routes.ts'
import {
  BrandRecordSchema,
  BrandsSchema,
  DisabledSigningKeySchema,
  DisableSigningKeySchema,
  HardwareIdentitiesSchema,
  PageQuerySchema,
  SigningKeySchema,
  SigningKeysQuerySchema,
  SigningKeysSchema,
  TrustRootsSchema,
} from '../schemas/index.ts'

const READING = { ...SIGNED_IN, permission: 'models:read' } as const

export const BRAND_OPERATIONS = {
  brands: {
    ...MANAGEMENT_ROUTES.brands,
    ...READING,
    summary: 'Lists the accounts that serials are signed for, by their id',
    errors: [],
    query: PageQuerySchema,
    response: BrandsSchema,
  },
  brand: {
    ...MANAGEMENT_ROUTES.brand,
    ...READING,
    summary: 'Returns a brand',
    errors: ['no-such-record'],
    response: BrandRecordSchema,
    record: true,
  },
  signingKeys: {
    ...MANAGEMENT_ROUTES.signingKeys,
    ...READING,
    summary: 'Lists the keys that sign serials, by brand: their public halves, and whether each can sign now',
    errors: [],
    query: SigningKeysQuerySchema,
    response: SigningKeysSchema,
  },
  signingKey: {
    ...MANAGEMENT_ROUTES.signingKey,
    ...READING,
    summary: 'Returns a signing key',
    errors: ['no-such-record'],
    response: SigningKeySchema,
    record: true,
  },
  disableSigningKey: {
    ...MANAGEMENT_ROUTES.disableSigningKey,
    ...SIGNED_IN,
    summary: 'Stops a key from signing serials; signed serials stay valid',
    description:
      'Refused if a model has no other key, unless `force` is true, which requires a person who signed in within the last 15 minutes.',
    permission: 'models:manage',
    errors: [
      ...(['no-such-record', 'still-referenced', 'version-mismatch'] as const),
      ...(['person-required', 'recent-sign-in-required'] as const),
    ],
    body: DisableSigningKeySchema,
    response: DisabledSigningKeySchema,
    actions: ['signing-key.disable'],
  },
  trustRoots: {
    ...MANAGEMENT_ROUTES.trustRoots,
    ...SIGNED_IN,
    summary: 'Lists the accounts that can vouch for brands, an item for each key; change them on the host',
    permission: 'roles:read',
    errors: [],
    response: TrustRootsSchema,
  },
  hardwareIdentities: {
    ...MANAGEMENT_ROUTES.hardwareIdentities,
    ...READING,
    summary: "Lists the keys built into hardware, by the key's digest; requires access to all brands",
    errors: [],
    query: PageQuerySchema,
    response: HardwareIdentitiesSchema,
  },
} as const satisfies Record<string, ManagementOperation>
