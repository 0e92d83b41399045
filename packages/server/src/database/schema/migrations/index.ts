import type { Migration } from '../migration.ts'
import { first } from './0001-first.ts'
import { brands } from './0002-brands.ts'
import { devices } from './0003-devices.ts'
import { changes } from './0004-changes.ts'
import { audit } from './0005-audit.ts'
import { waitingDevices } from './0006-waiting-devices.ts'
import { logins } from './0007-logins.ts'
import { fleet } from './0008-fleet.ts'
import { waitingPlaces } from './0009-waiting-places.ts'
import { operatorsChanges } from './0010-operators-changes.ts'
import { sessionChains } from './0011-session-chains.ts'
import { buckets } from './0012-contract-buckets.ts'
import { announcements } from './0013-announcements.ts'
import { publisherLogins } from './0014-publisher-logins.ts'
import { ciPublishing } from './0015-ci-publishing.ts'
import { administration } from './0016-administration.ts'
import { fleetLists } from './0017-fleet-lists.ts'
import { jobs } from './0018-jobs.ts'
import { activity } from './0019-activity.ts'
import { fileJobs } from './0020-file-jobs.ts'
import { tokenActivity } from './0021-token-activity.ts'
import { counters } from './0022-counters.ts'
import { reminders } from './0023-reminders.ts'
import { keptForms } from './0024-kept-forms.ts'
import { ownTokens } from './0025-own-tokens.ts'
import { credentials } from './0026-credentials.ts'
import { emailAddresses } from './0027-email-addresses.ts'

/** In the order they run. A published one is never edited: a change is a new one at the end. */
export const migrations: readonly Migration[] = [
  first,
  brands,
  devices,
  changes,
  audit,
  waitingDevices,
  logins,
  fleet,
  waitingPlaces,
  operatorsChanges,
  sessionChains,
  buckets,
  announcements,
  publisherLogins,
  ciPublishing,
  administration,
  fleetLists,
  jobs,
  activity,
  fileJobs,
  tokenActivity,
  counters,
  reminders,
  keptForms,
  ownTokens,
  credentials,
  emailAddresses,
]
