/** Guarantee: only a certificate that clients accept, with its own private key, replaces the one that is served. */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { tlsFilesIn, tlsPair } from '../../../test/support/tls-pairs.ts'
import { readConfig } from '../../config/config.ts'
import type { Log } from '../../telemetry/log.ts'
import { type TlsFilesWatch, watchTlsFiles } from './tls-files.ts'

const NOW = new Date('2026-11-30T12:00:00Z')
const MINUTE_MS = 60_000
const NEW = 'serving the TLS certificate of the files'
const KEPT = 'keeping the previous TLS certificate'

suite('the files of the certificate', () => {
  let directory: string
  let files: ReturnType<typeof tlsFilesIn>
  let watch: TlsFilesWatch
  let now: Date
  /** The messages of the log, each with its problem, and without the directory. */
  let said: string[]
  const log = {
    info: (fields: object | string, message?: string) => said.push(message ?? String(fields)),
    warn: (fields: { problem: string } | string, message?: string) => {
      const text = typeof fields === 'string' ? fields : `${message}: ${fields.problem}`
      said.push(text.replaceAll(`${directory}/`, ''))
    },
  } as unknown as Log
  const start = async (more = {}) => {
    const config = readConfig({ ...files.environment, ...more })
    return watchTlsFiles({ ...config, tls: files }, log, () => now)
  }
  const isServed = (name: 'first' | 'second') => watch.current().pair.cert === tlsPair(name).cert

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-tls-'))
    files = tlsFilesIn(directory)
  })
  after(() => rm(directory, { recursive: true, force: true }))
  beforeEach(async () => {
    said = []
    now = NOW
    await files.write(tlsPair('first'))
  })

  suite('while the service runs', () => {
    /** Advances the time by a minute, and waits until the files were read. */
    let look: () => Promise<void>
    beforeEach(async (t) => {
      assert.ok('mock' in t)
      t.mock.timers.enable({ apis: ['setInterval'] })
      watch = await start()
      look = async () => {
        t.mock.timers.tick(MINUTE_MS)
        await watch.looked()
      }
    })
    afterEach((t) => {
      watch.stop()
      assert.ok('mock' in t)
      t.mock.timers.reset()
    })

    test('serves a new pair within a minute, and tells those that follow', async () => {
      const followed: string[] = []
      watch.follow(({ pair }) => followed.push(pair.cert))
      await look()
      assert.deepEqual([said, followed], [[], []])
      await files.write(tlsPair('second'))
      await look()
      await look()
      assert.ok(isServed('second'))
      assert.deepEqual([said, followed], [[NEW], [tlsPair('second').cert]])
    })

    test('SIGHUP reads them at once, and always logs the result', async () => {
      process.emit('SIGHUP')
      await watch.looked()
      await files.write(tlsPair('second'))
      process.emit('SIGHUP')
      await watch.looked()
      assert.ok(isServed('second'))
      await unlink(files.key)
      for (let times = 0; times < 2; times++) process.emit('SIGHUP')
      await watch.looked()
      const missing = `${KEPT}: RATAFIA_TLS_KEY: key.pem cannot be read: there is no such file or directory. Check the path.`
      assert.deepEqual(said, ['the TLS certificate has not changed', NEW, missing, missing])
    })

    const MISMATCH =
      "RATAFIA_TLS_KEY: key.pem is not the key of the first certificate in cert.pem. Name the files of the same certificate, with the service's own before its chain."
    for (const [what, spoil, problem] of [
      ['a certificate with another key', () => writeFile(files.cert, tlsPair('second').cert), MISMATCH],
      ['a key of another certificate', () => writeFile(files.key, tlsPair('second').key), MISMATCH],
      [
        'an expired certificate',
        () => files.write(tlsPair('expired')),
        'RATAFIA_TLS_CERT: cert.pem expired at 2021-01-01T00:00:00.000Z.',
      ],
      [
        'a key that every user can read',
        () => chmod(files.key, 0o604),
        'RATAFIA_TLS_KEY: every user of this machine can open key.pem. Run chmod o= key.pem',
      ],
      [
        'a key that every user can write',
        () => chmod(files.key, 0o602),
        'RATAFIA_TLS_KEY: every user of this machine can open key.pem. Run chmod o= key.pem',
      ],
      [
        'half a certificate',
        () => truncate(files.cert, 300),
        'RATAFIA_TLS_CERT: cert.pem contains a damaged certificate (PEM). Write the certificate of the service, then its chain.',
      ],
      [
        'half a chain',
        () => writeFile(files.cert, tlsPair('first').cert + tlsPair('second').cert.slice(0, 300)),
        'RATAFIA_TLS_CERT: cert.pem cannot be served with its key: bad end line. Get a new certificate.',
      ],
      [
        'half a key',
        () => truncate(files.key, 100),
        'RATAFIA_TLS_KEY: key.pem contains a damaged private key (PEM)',
      ],
      ['an empty key', () => truncate(files.key), 'RATAFIA_TLS_KEY: key.pem contains no private key (PEM)'],
      [
        'a missing certificate',
        () => unlink(files.cert),
        'RATAFIA_TLS_CERT: cert.pem cannot be read: there is no such file or directory. Check the path.',
      ],
    ] as const) {
      test(`${what}: keeps the previous pair, logs this once, and serves the next good pair`, async () => {
        const followed: (string | undefined)[] = []
        watch.follow(({ problem: found }) => followed.push(found?.replaceAll(`${directory}/`, '')))
        await spoil()
        await look()
        await look()
        assert.ok(isServed('first'))
        assert.deepEqual([said, followed], [[`${KEPT}: ${problem}`], [problem]])
        await files.write(tlsPair('second'))
        await look()
        assert.ok(isServed('second'))
        assert.deepEqual([said.slice(1), followed.slice(1)], [[NEW], [undefined]])
      })
    }

    test('the served pair can expire, and can be restored after a failed change', async () => {
      now = new Date('2126-02-01T00:00:00Z')
      await look()
      assert.deepEqual(said, [])
      await truncate(files.key)
      await look()
      await files.write(tlsPair('first'))
      await look()
      assert.deepEqual(said.slice(1), [NEW])
      assert.equal(watch.current().problem, undefined)
    })

    test('a certificate that becomes valid later is served then', async () => {
      now = new Date('2019-12-31T23:59:30Z')
      await files.write(tlsPair('second'))
      await look()
      now = new Date('2020-01-01T00:00:30Z')
      await look()
      assert.deepEqual(said, [
        `${KEPT}: RATAFIA_TLS_CERT: cert.pem is valid only from 2020-01-01T00:00:00.000Z.`,
        NEW,
      ])
    })
  })

  suite('at the start', () => {
    const warningsOf = async (more = {}) => {
      const started = await start(more)
      started.stop()
      return said
    }

    test('a good pair for the address causes no warning', async () => {
      assert.deepEqual(await warningsOf({ RATAFIA_BASE_URL: 'https://store.example.com:8443/auth' }), [])
    })

    test('an expired certificate is served, with a warning', async () => {
      await files.write(tlsPair('expired'))
      assert.deepEqual(await warningsOf(), [
        'The certificate cert.pem expired at 2021-01-01T00:00:00.000Z, so clients refuse it. Replace it.',
      ])
    })

    test('a certificate for another host is served, with a warning', async () => {
      for (const [address, host] of [
        ['https://other.example.com', 'other.example.com'],
        ['https://192.0.2.1:8443', '192.0.2.1'],
        ['https://[2001:db8::1]', '2001:db8::1'],
      ]) {
        said = []
        assert.deepEqual(await warningsOf({ RATAFIA_BASE_URL: address }), [
          `The certificate cert.pem is not for ${host}, so clients that connect to ${address} refuse it.`,
        ])
      }
    })

    test('a key that its group can read causes the same warning as a secret key', async () => {
      await chmod(files.key, 0o640)
      assert.deepEqual(await warningsOf(), ['Other users can read key.pem. Run chmod 600 key.pem'])
    })

    test('an unusable pair is refused', async () => {
      await writeFile(files.key, tlsPair('second').key)
      await assert.rejects(start(), { name: 'ConfigError', message: /^RATAFIA_TLS_KEY: / })
    })
  })
})
