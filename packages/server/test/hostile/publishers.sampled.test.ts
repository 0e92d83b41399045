/** Tests hostile requests to the paths of publisher tools: passwords, discharges, credentials in bodies, and JSON. */
import { FULL } from '../../../../tools/test/effort.ts'
import { eachDatabase } from '../support/databases.ts'
import { flood } from './flood.ts'
import {
  BEHIND_PROXY,
  credentialBodies,
  pairRequests,
  passwordRequests,
  publisherBodies,
  refreshRequests,
} from './publisher-requests.ts'

const count = FULL ? 4_000 : 250

eachDatabase((kind, _open, fresh) => {
  flood(
    [
      ['passwords for a caveat', count, passwordRequests],
      ['discharges to refresh', count, refreshRequests],
      ['credentials in bodies', count, credentialBodies],
      ['roots and discharges in headers', count, pairRequests],
      ['JSON bodies of publisher tools', count, publisherBodies],
    ],
    { kind, fresh, environment: BEHIND_PROXY },
  )
})
