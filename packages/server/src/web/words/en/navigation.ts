/** The sections of the console, as the navigation calls them. */

export const navigation = {
  tokens: 'Tokens',
  publishers: 'Publishing from CI',
  me: 'Sign-in and agents',
  tools: 'Set up a tool',
  overview: 'Overview',
  devices: 'Devices',
  clones: 'Clones',
  brands: 'Brands',
  accounts: 'Accounts',
  grants: 'Grants',
  'all-tokens': 'All tokens',
  audit: 'Audit',
  jobs: 'Jobs',
  status: 'Status',
} as const
