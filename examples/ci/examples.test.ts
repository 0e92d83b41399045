/** The examples, with a stand-in for curl. `interop/ci-examples.test.ts` runs the same with curl itself. */
import { join } from 'node:path'
import { oneDatabase } from '../../packages/server/test/support/databases.ts'
import { compiled } from '../../tools/test/programs.ts'
import { exampleTests } from './test/example-tests.ts'

const STAND_IN = join(import.meta.dirname, 'test/stand-in-curl.ts')
const CURL = `env NODE_COMPILE_CACHE='${compiled()}' '${process.execPath}' '${STAND_IN}'`

oneDatabase((_kind, _open, fresh) => exampleTests(fresh, CURL))
