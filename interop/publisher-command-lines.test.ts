// The command lines of publishers' tools, which log in with a password at a terminal.

import { suite } from 'node:test'
import { charmcraftTests } from './publishers/charmcraft.ts'
import { snapcraftTests } from './publishers/snapcraft.ts'
import { surlTests } from './publishers/surl.ts'
import { publishersOnEachDatabase } from './support/publishers.ts'

publishersOnEachDatabase((tests) => {
  suite('charmcraft', () => charmcraftTests(tests))
  suite('snapcraft', () => snapcraftTests(tests))
  suite('surl', () => surlTests(tests))
})
