// The libraries that publishers' tools log in with, driven like in those tools.

import { suite } from 'node:test'
import { gatewayTests } from './publishers/gateway.ts'
import { storeLayerTests } from './publishers/store-layers.ts'
import { SNAPCRAFTS } from './support/driver.ts'
import { publishersOnEachDatabase } from './support/publishers.ts'

publishersOnEachDatabase((tests) => {
  for (const [name, snapcraft] of Object.entries(SNAPCRAFTS)) {
    suite(name, () => storeLayerTests(snapcraft, tests))
  }
  suite('craft-store', () => gatewayTests(tests))
})
