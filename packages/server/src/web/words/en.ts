/** All words of the console in English, as typed functions and strings, by page (contract/administration.md, C13). */
import { accounts } from './en/accounts.ts'
import { allTokens } from './en/all-tokens.ts'
import { allowList, hardware } from './en/allow-list.ts'
import { apiKeys } from './en/api-keys.ts'
import { brands, signingKeys, trustRoots } from './en/brands.ts'
import { counted, errors, form, frame, list, number, reminders, table, time } from './en/common.ts'
import { clones } from './en/devices/clones.ts'
import { deviceImport } from './en/devices/device-import.ts'
import { devices } from './en/devices/devices.ts'
import { grants } from './en/grants.ts'
import { limits } from './en/limits.ts'
import { me } from './en/me.ts'
import { models, remodels } from './en/models.ts'
import { navigation } from './en/navigation.ts'
import { overview } from './en/overview/overview.ts'
import { plot } from './en/overview/plot.ts'
import { policy } from './en/policy.ts'
import { publishers } from './en/publishers.ts'
import { audit } from './en/service/audit.ts'
import { jobs } from './en/service/jobs.ts'
import { packages, status } from './en/service/status.ts'
import { tokens } from './en/tokens.ts'

export const words = {
  ...{ counted, errors, form, frame, list, number, reminders, table, time },
  ...{ allowList, apiKeys, brands, hardware, models, policy, remodels, signingKeys, trustRoots },
  devices,
  deviceImport,
  clones,
  audit,
  jobs,
  packages,
  status,
  accounts,
  allTokens,
  grants,
  limits,
  me,
  navigation,
  overview,
  plot,
  publishers,
  tokens,
} as const
