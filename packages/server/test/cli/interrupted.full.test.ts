/** Guarantee: an interrupted command cancels the job that it created, and the rest of the job never runs. */
import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { eachDatabase } from '../support/databases.ts'
import { withAcme } from '../support/devices.ts'
import { eventually } from '../support/eventually.ts'
import { type Finished, type Program, testProgram } from '../support/program.ts'

const HEADER = 'brand_id,model,serial,device_key_id'
/** More devices than any machine imports before the interruption. */
const MANY = 20_000
/** More devices than any machine revokes before the interruption. */
const SOME = 5_000

const rows = (model: string, count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const key = Buffer.alloc(48, `${model}${index}`).toString('base64url')
    return `acme-brand,${model},${model}-${index},${key}\n`
  }).join('')

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(fresh)
  let installation: Awaited<ReturnType<Program['open']>>
  before(async () => {
    installation = await program.open()
    await withAcme(installation)
  })

  const fileOf = async (model: string, count: number) => {
    const path = join(program.directory, `${model}.csv`)
    await writeFile(path, `${HEADER}\n${rows(model, count)}`)
    return path
  }
  const importing = (file: string) => `devices import --unknown-models ${file}`
  const countOf = async (model: string, status: 'active' | 'revoked'): Promise<number> => {
    const { n } = await installation.database.query
      .selectFrom('device')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('model', '=', model)
      .where('status', '=', status)
      .executeTakeFirstOrThrow()
    return Number(n)
  }
  /** Runs a command in its own process, and sends it the signal once `begun` returns true. */
  async function interrupted(
    words: string,
    signal: NodeJS.Signals,
    begun: () => Promise<boolean>,
  ): Promise<Finished> {
    const running = program.launch(words, { TMPDIR: program.directory })
    await eventually('the job has begun', begun)
    return running.end(signal)
  }
  const newestJob = async () => (await program.json('jobs list'))[0]

  test('an interrupted decision keeps the finished devices, and never decides about the rest', async () => {
    await program.says(importing(await fileOf('lot', SOME)))
    const words = 'devices revoke --model acme-brand/lot --reason lost --yes'
    const begun = async () => (await countOf('lot', 'revoked')) > 0
    const { code, stderr } = await interrupted(words, 'SIGINT', begun)
    assert.equal(code, 1)
    const revoked = await countOf('lot', 'revoked')
    assert.ok(revoked < SOME)
    assert.match(stderr, /The job \S+ is cancelled\. It did not finish\.\n$/)
    const { state, done: count, note } = await newestJob()
    assert.deepEqual([state, count, note], ['cancelled', revoked, 'Cancelled by operator.'])
    await program.says(importing(await fileOf('other', 1)))
    assert.equal(await countOf('lot', 'revoked'), revoked)
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`${signal} during an import adds none of its devices, not even later`, async () => {
      const model = `all-${signal.toLowerCase()}`
      const file = await fileOf(model, MANY)
      const { code, stderr } = await interrupted(importing(file), signal, async () => {
        const [job] = await installation.jobs.active(1)
        return job?.state === 'running'
      })
      assert.equal(code, 1)
      assert.match(
        stderr,
        /\(devices\.import\) is cancelled: 0 of 1 record done\. Cancelled by operator\.\n$/,
      )
      await program.says(importing(await fileOf(`next-${signal.toLowerCase()}`, 1)))
      assert.equal(await countOf(model, 'active'), 0)
      assert.deepEqual(
        (await readdir(program.directory)).filter((name) => name.startsWith('ratafia-job-')),
        [],
        kind,
      )
    })
  }
})
