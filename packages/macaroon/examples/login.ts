import { randomBytes } from 'node:crypto'
import { addFirstPartyCaveat, decodeBinary, encodeBinary, verify } from '@ratafia/macaroon'
import {
  addBakeryCaveat,
  discharge,
  dischargeAll,
  generateKeyPair,
  mintBakeryMacaroon,
} from '@ratafia/macaroon/bakery'
import {
  checkConditions,
  declaredValues,
  formatTimeBefore,
  STANDARD_CHECKERS,
} from '@ratafia/macaroon/conditions'

// A shop mints a macaroon that is valid for an hour, and only with a discharge from an identity service.
const rootKey = randomBytes(32)
const shop = generateKeyPair()
const identity = generateKeyPair()
const minted = mintBakeryMacaroon({
  rootKey,
  id: randomBytes(16),
  location: 'https://shop.example',
  version: 2,
})
const inAnHour = new Date(Date.now() + 3_600_000)
const expiring = { ...minted, macaroon: addFirstPartyCaveat(minted.macaroon, formatTimeBefore(inAnHour)) }
const root = addBakeryCaveat(expiring, {
  condition: 'need-declared userid is-authenticated-userid',
  thirdParty: { location: 'https://id.example', publicKey: identity.publicKey, version: 3 },
  firstParty: shop,
})

// The client asks the identity service (in practice over HTTP), which authenticates the user and declares the user id.
const slice = await dischargeAll(root, ({ id, caveat }) =>
  discharge({ id, caveat, keyPairs: [identity], check: () => ['declared userid ada'] }),
)
const sent = encodeBinary(...slice)

// The shop verifies the received slice (cryptography), then checks that every condition is met (meaning).
const received = decodeBinary(sent)
const conditions = verify(received, rootKey)
const declared = declaredValues(conditions.map(({ condition }) => condition))
checkConditions(conditions, STANDARD_CHECKERS, { now: new Date(), declared })

// Any holder can append "declared …" to a macaroon, so take the user only from the discharge of our own caveat.
const [asked] = received[0].caveats.filter(({ verificationId }) => verificationId !== undefined)
const answer = received.findIndex(
  ({ id }, i) => i > 0 && asked !== undefined && Buffer.compare(id, asked.id) === 0,
)
const user = conditions.find(
  ({ macaroon, condition }) => macaroon === answer && condition.startsWith('declared userid '),
)
process.stdout.write(`${user?.condition}, of ${conditions.length} conditions\n`)
