/** `ratafia packages` imports a file of more than two batches. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { FULL } from '../../../../tools/test/effort.ts'
import { eachDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'

const MANY = FULL ? 20_000 : 2_500

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  before(async () => assert.equal((await program.run('migrate')).code, 0))

  test(`imports ${MANY} packages, without a progress bar when there is no terminal`, async () => {
    const lines = Array.from({ length: MANY }, (_, index) => `package-${index},id-${index}`)
    const file = join(program.directory, 'many.csv')
    await writeFile(file, `name,snap_id\n${lines.join('\n')}\n`)
    const { code, stdout, stderr } = await program.run(['packages', 'import', file, '--replace'])
    assert.deepEqual(
      { code, stdout, stderr },
      { code: 0, stdout: `${MANY} packages imported.\n`, stderr: '' },
    )
    assert.equal((await program.json('packages list')).length, MANY)
  })
})
