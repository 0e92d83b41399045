/**
 * Writes an RSA key like `ssh-keygen -t rsa -b BITS -N '' -f FILE -m PEM`, a different one each time. The directory
 * `DEVICE_KEYS` keeps the primes, which are combined into more keys.
 */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { keyOf, primeOf } from '../../../tools/test/crossed-keys.ts'

const { values } = parseArgs({
  options: {
    type: { type: 'string', short: 't' },
    bits: { type: 'string', short: 'b' },
    passphrase: { type: 'string', short: 'N' },
    file: { type: 'string', short: 'f' },
    format: { type: 'string', short: 'm' },
  },
})
const { type, bits, passphrase, file, format } = values
const directory = process.env['DEVICE_KEYS']
if (type !== 'rsa' || format !== 'PEM' || passphrase !== '' || !bits || !file || !directory) {
  throw new Error(`snapd does not use these arguments: ${process.argv.slice(2).join(' ')}`)
}
mkdirSync(directory, { recursive: true })
const [p, q] = await pair(directory, Number(bits) / 2)
writeFileSync(file, keyOf(p, q).export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600, flag: 'wx' })

/** Returns two primes that were not combined before. */
async function pair(directory: string, bits: number): Promise<readonly [bigint, bigint]> {
  for (let first = 1; ; first++) {
    for (let second = 0; second < first; second++) {
      if (isFirst(() => mkdirSync(join(directory, `${bits}-${first}-${second}`)))) {
        return [await prime(directory, bits, first), await prime(directory, bits, second)]
      }
    }
  }
}

/** Returns the prime with this number, and generates it if it does not exist. */
async function prime(directory: string, bits: number, number: number): Promise<bigint> {
  const path = join(directory, `${bits}-${number}`)
  const read = () => BigInt(readFileSync(path, 'utf8'))
  try {
    return read()
  } catch {
    const own = `${path}.${process.pid}`
    writeFileSync(own, `${await primeOf(bits)}`)
    // If two processes generate a prime at the same time, one is kept.
    isFirst(() => linkSync(own, path))
    rmSync(own)
    return read()
  }
}

/** Returns whether `make` created its file; false if the file exists. */
function isFirst(make: () => void): boolean {
  try {
    make()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
