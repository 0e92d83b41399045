// The files of examples/ci with curl itself. `npm test` runs the same with a stand-in, for machines without curl.

import { exampleTests } from '../examples/ci/test/example-tests.ts'
import { oneDatabase } from '../packages/server/test/support/databases.ts'

oneDatabase((_kind, _open, fresh) => exampleTests(fresh, '/usr/bin/curl'))
