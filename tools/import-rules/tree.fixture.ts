// A small tree in which every layer imports everything that it may. The tests of the rules add their violations to it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const manifest = (name: string, dependencies: readonly string[], exports?: object) =>
  JSON.stringify({
    name,
    exports,
    dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, '1'])),
  })

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{}',

  'packages/api/package.json': manifest('@ratafia/api', ['typebox'], { '.': './src/index.ts' }),
  'packages/api/src/index.ts': "export * from './ids.ts'",
  'packages/api/src/ids.ts': "import { Type } from 'typebox'",

  'packages/macaroon/package.json': manifest('@ratafia/macaroon', ['@noble/ciphers'], {
    '.': './src/index.ts',
    './bakery': './src/bakery/index.ts',
  }),
  'packages/macaroon/src/index.ts': `
    // Neither process.env nor Date.now() nor import('ratafia') in a comment counts,
    export const text = "nor in a string: process.env, Date.now(), import('ratafia')"
    export { verify } from './verify.ts'
    export const earlier = (now: Date) => new Date(now.getTime() - 1)`,
  'packages/macaroon/src/verify.ts':
    "import { hash } from 'node:crypto'; import { xsalsa } from '@noble/ciphers'",
  'packages/macaroon/src/bakery/index.ts': "import { verify } from '../verify.ts'",
  'packages/macaroon/src/verify.test.ts': `
    import { readFileSync } from 'node:fs'
    import { other } from 'an-undeclared-test-library'
    import * as bakery from '@ratafia/macaroon/bakery'
    const now = Date.now()`,

  'packages/assertions/package.json': manifest('@ratafia/assertions', [], { '.': './src/index.ts' }),
  'packages/assertions/src/index.ts': '',

  'packages/server/package.json': manifest('ratafia', [
    ...['@ratafia/api', '@ratafia/macaroon', '@ratafia/assertions'],
    ...['fastify', 'kysely', 'pg', 'csv-parse'],
  ]),
  'packages/server/bin/ratafia.js':
    "const major = process.env.X; const { run } = await import('../src/start/run.ts')",
  'packages/server/src/start/run.ts': `
    import { readConfig } from '../config/config.ts'
    import { routes } from '../tokens/routes.ts'
    import { openSessionStore } from '../tokens/session-store.ts'
    import { program } from '../cli/program.ts'
    import { supervise } from '../workers/supervise.ts'
    import { createDevice } from '../demo/device.ts'
    import { open } from '../database/open.ts'
    import { createKeyring } from '../keyring/keyring.ts'`,
  'packages/server/src/config/config.ts': 'export const port = process.env.RATAFIA_PORT',
  'packages/server/src/installation.ts': "import type { SessionStore } from './tokens/session-store.ts'",
  'packages/server/src/errors.ts': "import type { ErrorCode } from '@ratafia/api'",
  'packages/server/src/clock.ts': 'export type Clock = () => Date',
  'packages/server/src/config/secret-key.ts': "import { ConfigError } from './config.ts'",
  'packages/server/src/cli/program.ts':
    "import { list } from '../accounts/list.ts'; import type { W } from '../installation.ts'; import './output.ts'",
  'packages/server/src/cli/output.ts': '',
  'packages/server/src/demo/device.ts': "import { sign } from '@ratafia/assertions'; import '../errors.ts'",
  'packages/server/src/workers/supervise.ts':
    "import cluster from 'node:cluster'; import type { Clock } from '../clock.ts'; import '../telemetry/log.ts'",
  'packages/server/src/tokens/routes.ts': `
    import { exchange } from './exchange.ts'
    import { authenticate } from '../http/authentication.ts'
    import { page } from '../web/page.ts'
    import type { Token } from '@ratafia/api'
    import fastify from 'fastify'`,
  'packages/server/src/tokens/exchange.ts': `
    import { verify } from '@ratafia/macaroon'
    import { find } from '../accounts/find.ts'
    import type { SessionStore } from './session-store.ts'
    import type { AccountStore } from '../accounts/account-store.ts'
    import type { Keyring } from '../keyring/keyring.ts'
    import { RequestError } from '../errors.ts'`,
  'packages/server/src/tokens/session.ts': '',
  'packages/server/src/tokens/session-store.ts': `
    import { open } from '../database/open.ts'
    import { sql } from 'kysely'
    import type { Session } from './session.ts'
    const row = db.selectFrom('token_session')`,
  'packages/server/src/tokens/remembered-sessions.ts':
    "import { remember } from '../database/open.ts'; import type { SessionStore } from './session-store.ts'",
  'packages/server/src/files/read-rows.ts': "import { parse } from 'csv-parse'; import '../errors.ts'",
  'packages/server/src/accounts/find.ts': "import type { AccountStore } from './account-store.ts'",
  'packages/server/src/accounts/list.ts': '',
  'packages/server/src/accounts/routes.ts': '',
  'packages/server/src/accounts/account-store.ts': '',
  'packages/server/src/keyring/keyring.ts':
    "import { KeyStore } from './key-store.ts'; import '@ratafia/macaroon'",
  'packages/server/src/keyring/sealing.ts': '',
  'packages/server/src/keyring/key-store.ts':
    "import { open } from '../database/open.ts'; import '@ratafia/macaroon'; import './sealing.ts'",
  'packages/server/src/database/open.ts':
    "import { Kysely } from 'kysely'; import pg from 'pg'; import '../errors.ts'",
  'packages/server/src/http/authentication.ts': "import fastify from 'fastify'; import '../errors.ts'",
  'packages/server/src/web/page.ts': '',
  'packages/server/src/telemetry/log.ts': '',
  'packages/server/test/support/client.ts':
    "import '../../src/start/run.ts'; import '../../src/cli/program.ts'",
  'packages/server/test/whoami.test.ts': "import './support/client.ts'; const home = process.env.HOME",

  // A tool may import from every layer and any library.
  'faults/faults.ts':
    "import './black-hole.ts'; import 'an-undeclared-library'; import '../packages/server/src/start/run.ts'",
  'faults/black-hole.ts': "import '../package.json'",
}

/** Writes the tree, with `plants` appended to its files or as new files, calls `use` with its root, and removes it. */
export function withTree<T>(plants: Readonly<Record<string, string>>, use: (root: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'ratafia-import-rules-'))
  try {
    for (const path of new Set([...Object.keys(FILES), ...Object.keys(plants)])) {
      mkdirSync(join(root, dirname(path)), { recursive: true })
      writeFileSync(join(root, path), [FILES[path], plants[path]].filter(Boolean).join('\n'))
    }
    return use(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}
