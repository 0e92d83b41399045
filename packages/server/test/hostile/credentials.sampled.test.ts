/** Tests hostile credentials: macaroons that are damaged, cut, combined from others, or invented. */
import { FULL } from '../../../../tools/test/effort.ts'
import { eachDatabase } from '../support/databases.ts'
import { flood } from './flood.ts'
import { credentialRequests } from './requests.ts'

eachDatabase((kind, _open, fresh) => {
  flood([['macaroon headers', FULL ? 50_000 : 250, credentialRequests]], { kind, fresh })
})
