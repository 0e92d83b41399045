/** Models and what belongs to them in the management API. */
import { EmptyObjectSchema } from '../tokens.ts'
import {
  AllowListSchema,
  ApiKeySchema,
  ApiKeysSchema,
  CreatedApiKeySchema,
  ModelDetailsSchema,
  ModelsQuerySchema,
  ModelsSchema,
  NewApiKeySchema,
  PageQuerySchema,
  RemodelsSchema,
  RemoveAllowedSchema,
  RemovedAllowedSchema,
} from './model-schemas.ts'
import { type ManagementOperation, SIGNED_IN } from './operation.ts'

const READING = { ...SIGNED_IN, method: 'GET', permission: 'models:read' } as const
const LISTING = { ...READING, errors: ['no-such-record'], query: PageQuerySchema } as const
const CHANGING = { ...SIGNED_IN, method: 'POST', permission: 'models:manage' } as const

export const MODEL_OPERATIONS = {
  models: {
    ...READING,
    path: '/models',
    summary: 'The models that devices may register as, by brand',
    errors: [],
    query: ModelsQuerySchema,
    response: ModelsSchema,
  },
  model: {
    ...READING,
    path: '/models/:brand/:model',
    summary: 'One model: its policy, its assertion, and who signs its serials',
    errors: ['no-such-record'],
    response: ModelDetailsSchema,
    record: true,
  },
  remodels: {
    ...LISTING,
    path: '/models/:brand/:model/remodels',
    summary: 'The models that devices of a model may become, by brand',
    response: RemodelsSchema,
  },
  apiKeys: {
    ...LISTING,
    path: '/models/:brand/:model/api-keys',
    summary: 'The API keys of a model, the oldest first, without their text',
    response: ApiKeysSchema,
  },
  apiKey: {
    ...READING,
    path: '/models/:brand/:model/api-keys/:id',
    summary: 'One API key, without its text',
    errors: ['no-such-record'],
    response: ApiKeySchema,
    record: true,
  },
  addApiKey: {
    ...CHANGING,
    path: '/models/:brand/:model/api-keys',
    summary: 'Makes an API key: from its first one on, a model takes no device without a key',
    errors: ['no-such-record'],
    body: NewApiKeySchema,
    bodyRequired: true,
    response: CreatedApiKeySchema,
    status: 201,
    actions: ['api-key.add'],
  },
  revokeApiKey: {
    ...CHANGING,
    path: '/models/:brand/:model/api-keys/:id/revoke',
    summary: 'Ends an API key: no device registers with it any more; those that did stay registered',
    errors: ['no-such-record'],
    body: EmptyObjectSchema,
    response: ApiKeySchema,
    record: true,
    actions: ['api-key.revoke'],
  },
  allowList: {
    ...LISTING,
    path: '/models/:brand/:model/allow-list',
    summary: 'The devices that may register, by serial number and key',
    response: AllowListSchema,
  },
  removeAllowed: {
    ...CHANGING,
    path: '/models/:brand/:model/allow-list/remove',
    summary: 'Takes entries off the list; devices keep the serials that they have',
    description: 'To empty the whole list is for people who signed in within the last 15 minutes.',
    errors: ['no-such-record', 'person-required', 'recent-sign-in-required'],
    body: RemoveAllowedSchema,
    bodyRequired: true,
    response: RemovedAllowedSchema,
    actions: ['allow-list.remove'],
  },
} as const satisfies Record<string, ManagementOperation>
