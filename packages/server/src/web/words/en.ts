/** All words of the console in English, as typed functions and strings, by page (contract/administration.md, C13). */
import { accounts, grants } from './en/accounts.ts'
import { allTokens } from './en/all-tokens.ts'
import { allowList, apiKeys, hardware } from './en/allow-list.ts'
import { brands, signingKeys, trustRoots } from './en/brands.ts'
import {
  counted,
  errors,
  form,
  frame,
  list,
  navigation,
  number,
  reminders,
  table,
  time,
} from './en/common.ts'
import { clones, deviceImport } from './en/device-import.ts'
import { devices } from './en/devices.ts'
import { jobs } from './en/jobs.ts'
import { me } from './en/me.ts'
import { models, policy, remodels } from './en/models.ts'
import { overview, plot } from './en/overview.ts'
import { publishers } from './en/publishers.ts'
import { audit, packages, status } from './en/status.ts'
import { limits, tokens } from './en/tokens.ts'

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
