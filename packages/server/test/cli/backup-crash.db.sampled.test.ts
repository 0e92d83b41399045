/**
 * A backup or a restore that is killed, or that fills the disk, leaves nothing that looks complete. Backups
 * are tested only on SQLite, because the code that writes them is the same for both databases.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { FULL } from '../../../../tools/test/effort.ts'
import { compiled, ratafiaCommand } from '../../../../tools/test/programs.ts'
import { eachDatabase, withoutTables } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'

const SECRET = { RATAFIA_SECRET_KEY: Buffer.alloc(32, 9).toString('base64') }
/** Enough rows to observe a restore in progress, and more than fit into SQLite's memory. */
const PACKAGES = FULL ? 60_000 : 16_000

/** Returns text that hardly compresses. */
const textOf = (n: number) => createHash('sha256').update(String(n)).digest('hex')

const small = testProgram()

/** Writes a backup with many packages and few other rows. Returns its path. */
async function makeLarge(): Promise<string> {
  const source = join(small.directory, 'small')
  for (const words of [['migrate'], ['backup', source]])
    assert.equal((await small.run(words, { environment: SECRET })).code, 0)
  const few = gunzipSync(await readFile(source))
    .toString()
    .trimEnd()
    .split('\n')
    .slice(0, -1)
  const at = few.findIndex((line) => line.startsWith('{"table":"package"')) + 1
  const many = Array.from({ length: PACKAGES }, (_, n) => `["name-${textOf(n)}","id-${textOf(n)}"]`)
  const lines = [...few.slice(0, at), ...many, ...few.slice(at)]
  const text = lines.map((line) => `${line}\n`).join('')
  const tables = lines.filter((line) => line.startsWith('{"table"')).length
  const sha256 = createHash('sha256').update(text).digest('hex')
  const end = { end: true, tables, rows: lines.length - tables - 1, sha256 }
  const file = join(small.directory, 'large')
  await writeFile(file, gzipSync(`${text}${JSON.stringify(end)}\n`, { level: 1 }))
  return file
}

let large: Promise<string> | undefined

eachDatabase((kind, _open, fresh) => {
  let file: string
  before(async () => {
    large ??= makeLarge()
    file = await large
  })
  const program = testProgram(withoutTables(fresh))

  const launch = (words: readonly string[], shell = 'exec "$@"') => {
    const child = spawn('sh', ['-c', shell, 'sh', ...ratafiaCommand(), ...words], {
      cwd: program.directory,
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compiled(), ...program.environment, ...SECRET },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const finished = once(child, 'close').then(([code]: (number | null)[]) => ({ code, stderr }))
    return { child, finished }
  }
  /** Starts the command, and kills it with SIGKILL as soon as `seen` returns true. */
  const killed = async (words: readonly string[], seen: () => Promise<boolean>) => {
    const { child, finished } = launch(words)
    while (!(await seen())) {
      assert.equal(child.exitCode, null, 'it ended before it could be observed at work')
      await new Promise((next) => setTimeout(next, 2))
    }
    child.kill('SIGKILL')
    assert.equal((await finished).code, null)
  }
  const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size ?? 0
  const names = async () => (await readdir(program.directory)).sort()
  const hasNothing = async () => {
    const { code, stderr } = await program.run('backup nothing', { environment: SECRET })
    assert.deepEqual([code, /has no tables of Ratafia/.test(stderr)], [1, true], stderr)
  }

  test('a killed restore leaves no row, and can be repeated', async () => {
    const target = await fresh.target()
    const words = ['restore', file, '--unsealed']
    if (target.kind === 'sqlite') {
      await killed(words, async () => (await sizeOf(`${target.file}-wal`)) > 256 * 1024)
    } else {
      const client = new pg.Client({ connectionString: target.url })
      await client.connect()
      const inserting = `select 1 from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and query like 'insert into "package"%'`
      await killed(words, async () => (await client.query(inserting)).rows.length > 0).finally(() =>
        client.end(),
      )
    }
    await hasNothing()
    if (kind === 'sqlite') {
      const full = await launch(words, 'ulimit -f 4096; exec "$@"').finished
      assert.equal(full.code, 3, full.stderr)
      assert.match(
        full.stderr,
        /^ratafia: The database \S+ratafia\.db cannot be used: disk I\/O error\. .+\n$/,
      )
      await hasNothing()
    }
    assert.equal((await program.run(words, { environment: SECRET })).code, 0)
    const { query } = (await program.open(SECRET)).database
    const { count } = await query
      .selectFrom('package')
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    assert.equal(Number(count), PACKAGES)
  })

  if (kind === 'sqlite')
    test('a backup that is killed or fills the disk leaves no file of its name, and can be repeated', async () => {
      const made = join(program.directory, 'made')
      const draft = async () => (await names()).find((name) => /^made\.[0-9a-f]{8}\.part$/.test(name))
      await killed(['backup', made], async () => {
        const name = await draft()
        return name !== undefined && (await sizeOf(join(program.directory, name))) > 0
      })
      assert.equal(await sizeOf(made), 0)
      const before = await names()
      const full = await launch(['backup', made], 'ulimit -f 64; exec "$@"').finished
      assert.deepEqual(full, {
        code: 1,
        stderr: `ratafia: ${made} cannot be written: this user is not allowed to write a file this large. Raise the limit (\`ulimit -f\`), or use a file system for larger files.\n`,
      })
      assert.deepEqual(await names(), before)
      // Each of two simultaneous backups writes its own draft.
      const both = [launch(['backup', made, '--force']), launch(['backup', made, '--force'])]
      for (const { finished } of both) assert.equal((await finished).code, 0)
      assert.equal((await program.run(['restore', made, '--dry-run'], { environment: SECRET })).code, 0)
    })
})
