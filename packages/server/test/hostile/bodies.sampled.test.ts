/** Tests hostile bodies and addresses: JSON for the API, forms and links of the identity service. */
import { FULL } from '../../../../tools/test/effort.ts'
import { eachDatabase } from '../support/databases.ts'
import { flood } from './flood.ts'
import { identityRequests, jsonRequests } from './requests.ts'

eachDatabase((kind, _open, fresh) => {
  flood(
    [
      ['JSON bodies', FULL ? 50_000 : 250, jsonRequests],
      ['form posts and addresses of the identity service', FULL ? 50_000 : 250, identityRequests],
    ],
    { kind, fresh },
  )
})
