/** The files with the database of a release: `VERSION.db.gz`, its secret key `VERSION.key`, and `VERSION.json`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Made } from './make.ts'

/** The names in a data directory. */
const DATABASE = 'ratafia.db'
const SECRET_KEY = 'secret.key'

/** Packs a data directory that no process uses. `base`: the path of the files, without their endings. */
export function pack(data: string, made: Made, base: string): void {
  if (existsSync(join(data, `${DATABASE}-wal`)))
    throw new Error(`A process still uses the database in ${data}.`)
  writeFileSync(`${base}.db.gz`, gzipSync(readFileSync(join(data, DATABASE)), { level: 9 }))
  writeFileSync(`${base}.key`, readFileSync(join(data, SECRET_KEY)))
  writeFileSync(`${base}.json`, `${JSON.stringify(made, null, 2)}\n`)
}

/** Unpacks the files into a new data directory. */
export function unpack(base: string, data: string): Made {
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(join(data, DATABASE), gunzipSync(readFileSync(`${base}.db.gz`)), { mode: 0o600 })
  writeFileSync(join(data, SECRET_KEY), readFileSync(`${base}.key`), { mode: 0o600 })
  return JSON.parse(readFileSync(`${base}.json`, 'utf8'))
}
