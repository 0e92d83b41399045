/**
 * The method and path of each operation of the management API, without schemas: all that a client needs to
 * call it.
 */

export const MANAGEMENT_PREFIX = '/api/management/v1'

/** `path`: below {@link MANAGEMENT_PREFIX}, with `:name` for a parameter. */
const route = <const Method extends string, const Path extends string>(method: Method, path: Path) => ({
  method,
  path,
})

export const MANAGEMENT_ROUTES = {
  createManagementRoot: route('POST', '/tokens/root'),
  exchangeManagementRoot: route('POST', '/tokens/exchange'),
  me: route('GET', '/me'),
  myTokens: route('GET', '/me/tokens'),
  myToken: route('GET', '/me/tokens/:id'),
  revokeMyToken: route('POST', '/me/tokens/:id/revoke'),
  shortenMyToken: route('POST', '/me/tokens/:id/shorten'),
  revokeMyTokens: route('POST', '/me/tokens/revoke'),
  explainToken: route('POST', '/me/tokens/explain'),
  myAgents: route('GET', '/me/agents'),
  removeMyAgent: route('POST', '/me/agents/:id/remove'),
  myBrowsers: route('GET', '/me/browsers'),
  endMyBrowser: route('POST', '/me/browsers/:id/end'),
  endMyBrowsers: route('POST', '/me/browsers/end'),
  tokens: route('GET', '/tokens'),
  token: route('GET', '/tokens/:id'),
  revokeToken: route('POST', '/tokens/:id/revoke'),

  issuers: route('GET', '/issuers'),
  myPublishers: route('GET', '/me/publishers'),
  myPublisher: route('GET', '/me/publishers/:id'),
  testMyPublisher: route('POST', '/me/publishers/:id/test'),
  removeMyPublisher: route('POST', '/me/publishers/:id/remove'),

  devices: route('GET', '/devices'),
  deviceCounts: route('GET', '/devices/counts'),
  exportDevices: route('GET', '/devices/export'),
  cloneEvidence: route('GET', '/clone-evidence'),
  device: route('GET', '/devices/:id'),
  deviceSessions: route('GET', '/devices/:id/sessions'),
  deviceRegistrations: route('GET', '/devices/:id/registrations'),
  deviceAssertions: route('GET', '/devices/:id/assertions'),
  deviceEvidence: route('GET', '/devices/:id/evidence'),
  deviceActivity: route('GET', '/devices/:id/activity'),
  deviceHistory: route('GET', '/devices/:id/history'),
  approveDevice: route('POST', '/devices/:id/approve'),
  rejectDevice: route('POST', '/devices/:id/reject'),
  revokeDevice: route('POST', '/devices/:id/revoke'),
  releaseDevice: route('POST', '/devices/:id/release'),

  brands: route('GET', '/brands'),
  brand: route('GET', '/brands/:brand'),
  signingKeys: route('GET', '/signing-keys'),
  signingKey: route('GET', '/signing-keys/:id'),
  disableSigningKey: route('POST', '/signing-keys/:id/disable'),
  trustRoots: route('GET', '/trust-roots'),
  hardwareIdentities: route('GET', '/hardware-identities'),

  models: route('GET', '/models'),
  model: route('GET', '/models/:brand/:model'),
  addModel: route('POST', '/models'),
  setPolicy: route('PATCH', '/models/:brand/:model'),
  updateModel: route('PUT', '/models/:brand/:model/assertion'),
  removeModel: route('POST', '/models/:brand/:model/remove'),
  addRemodel: route('POST', '/models/:brand/:model/remodels'),
  removeRemodel: route('DELETE', '/models/:brand/:model/remodels/:to_brand/:to_model'),
  remodels: route('GET', '/models/:brand/:model/remodels'),
  apiKeys: route('GET', '/models/:brand/:model/api-keys'),
  apiKey: route('GET', '/models/:brand/:model/api-keys/:id'),
  addApiKey: route('POST', '/models/:brand/:model/api-keys'),
  revokeApiKey: route('POST', '/models/:brand/:model/api-keys/:id/revoke'),
  allowList: route('GET', '/models/:brand/:model/allow-list'),
  removeAllowed: route('POST', '/models/:brand/:model/allow-list/remove'),

  myReminders: route('GET', '/me/reminders'),
  switchMyReminders: route('PATCH', '/me/reminders'),
  accounts: route('GET', '/accounts'),
  accountSummaries: route('GET', '/account-summaries'),
  addAccount: route('POST', '/accounts'),
  account: route('GET', '/accounts/:id'),
  editAccount: route('PATCH', '/accounts/:id'),
  disableAccount: route('POST', '/accounts/:id/disable'),
  enableAccount: route('POST', '/accounts/:id/enable'),
  linkToPassword: route('POST', '/accounts/:id/password-link'),
  accountIdentities: route('GET', '/accounts/:id/identities'),
  accountAgents: route('GET', '/accounts/:id/agents'),
  removeAgent: route('POST', '/accounts/:id/agents/:name/remove'),

  grants: route('GET', '/grants'),
  addGrant: route('POST', '/grants'),
  removeGrant: route('POST', '/grants/:id/remove'),

  jobs: route('GET', '/jobs'),
  makeJob: route('POST', '/jobs'),
  job: route('GET', '/jobs/:id'),
  jobItems: route('GET', '/jobs/:id/items'),
  exportJob: route('GET', '/jobs/:id/items/export'),
  putJobPart: route('PUT', '/jobs/:id/parts/:part'),
  startJob: route('POST', '/jobs/:id/start'),
  cancelJob: route('POST', '/jobs/:id/cancel'),

  audit: route('GET', '/audit'),
  exportAudit: route('GET', '/audit/export'),
  verifyAudit: route('POST', '/audit/verify'),

  packages: route('GET', '/packages'),
  counters: route('GET', '/counters'),
  attention: route('GET', '/attention'),
  status: route('GET', '/status'),
} as const
