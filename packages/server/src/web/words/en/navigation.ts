/** The names of the console's sections in its navigation. */

export const navigation = {
  tokens: 'Tokens',
  publishers: 'Publishing from CI',
  me: 'Sign-in and agents',
  tools: 'Tool setup',
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
