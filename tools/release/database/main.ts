// Makes the database of a release for the tests of later ones: `node main.ts VERSION DIRECTORY [PROGRAM]`. Without the
// path of a program, bundles the one of this checkout.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { bundle } from '../../test/bundle.ts'
import { freePort } from '../../test/free-port.ts'
import { bundled, PROGRAM } from '../../test/programs.ts'
import { drive } from './drive.ts'
import { pack } from './files.ts'
import { LASTING, makeDatabase } from './make.ts'

const [version, output, given] = process.argv.slice(2)
if (version === undefined || output === undefined)
  throw new Error('Usage: main.ts VERSION DIRECTORY [PROGRAM]')
const directory = mkdtempSync(join(tmpdir(), 'ratafia-release-database-'))
try {
  if (given === undefined) await bundle(join(directory, 'program'))
  const program = given === undefined ? bundled(PROGRAM, join(directory, 'program')) : resolve(given)
  const data = join(directory, 'data')
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const environment = {
    ...LASTING,
    ...{ RATAFIA_DATA_DIR: data, RATAFIA_PORT: `${port}`, RATAFIA_BASE_URL: baseUrl, RATAFIA_WORKERS: '1' },
    RATAFIA_LOG_LEVEL: 'warn',
  }
  const driven = drive({ program, directory, environment })
  const made = await makeDatabase({ ...driven, directory, baseUrl })
  mkdirSync(output, { recursive: true })
  pack(data, made, join(output, version))
} finally {
  rmSync(directory, { recursive: true, force: true })
}
