// Runs the files of examples/ci with curl.

import { exampleTests } from '../examples/ci/test/example-tests.ts'
import { oneDatabase } from '../packages/server/test/support/databases.ts'

oneDatabase((_kind, _open, fresh) => exampleTests(fresh, '/usr/bin/curl'))
