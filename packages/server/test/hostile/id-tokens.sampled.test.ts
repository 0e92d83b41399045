/** Tests hostile exchanges: ID tokens that an issuer signed with any claims, damaged ones, and any other parameters. */
import { FULL } from '../../../../tools/test/effort.ts'
import { eachDatabase } from '../support/databases.ts'
import { flood } from './flood.ts'
import { idTokenRequests } from './id-token-requests.ts'
import { BEHIND_PROXY } from './publisher-requests.ts'

eachDatabase((kind, _open, fresh) => {
  flood([['ID tokens', FULL ? 20_000 : 250, idTokenRequests]], { kind, fresh, environment: BEHIND_PROXY })
})
