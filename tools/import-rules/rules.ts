// The import rules of the design. Each row selects files, limits their imports, and has the sentence that it enforces.
// Tests may import from every layer of their own package, but not from other packages.

import { posix } from 'node:path'
import { findCycles, findFolderCycles } from './cycles.ts'
import { limit, nameOf, type Rule } from './rule.ts'
import {
  folder,
  inLayer,
  isTest,
  layer,
  library,
  ours,
  own,
  ownFolder,
  ownPackage,
  sourceOutside,
  test,
  typesOf,
  valuesOf,
} from './selectors.ts'
import type { Tree } from './tree.ts'

const PURE_BUILTINS = ['node:buffer', 'node:crypto', 'node:util']
const isStatement = (use: string) => use.startsWith('.')

export const RULES: readonly Rule[] = [
  // Between packages
  limit({
    name: 'cores-stand-alone',
    sentence: 'The cores (`macaroon`, `assertions`) do not import other packages of ours.',
    advice: 'pass what the core needs as arguments',
    who: inLayer('core'),
    may: [ownPackage],
  }),
  limit({
    name: 'cores-are-pure',
    sentence: 'Cores have no I/O, clock, environment or logger. Keys, time and look-ups are arguments.',
    advice: `a core may import only ${PURE_BUILTINS.join(', ')} from Node, and must not use the clock, randomness or the process`,
    who: inLayer('core'),
    mayNot: [(target) => target.kind === 'builtin' && !PURE_BUILTINS.includes(target.name)],
    uses: (use) => !isStatement(use),
  }),
  limit({
    name: 'api-stands-alone',
    sentence:
      'packages/api contains error codes, ids, and the schemas of every operation, which types and OpenAPI derive from.',
    advice: 'the description of the wire must not depend on the packages that implement it',
    who: inLayer('api'),
    may: [ownPackage],
  }),
  limit({
    name: 'no-import-of-server',
    sentence: 'No other package imports `server`, not even in a test.',
    advice: 'move what you need into a package that both can import',
    who: (place) => place.package !== 'server',
    mayNot: [ours((place) => place.package === 'server')],
  }),
  limit({
    name: 'packages-by-name',
    sentence: 'Other projects can use each package. It has exports, docstrings and a README.',
    advice: 'import the package by its name; an installation does not have this path',
    who: () => true,
    mayNot: [
      (target, from) =>
        target.kind === 'ours' && target.by === 'path' && target.place.package !== from.package,
    ],
  }),
  declaredDependencies(),

  // Inside the server
  limit({
    name: 'no-import-of-start',
    sentence: 'No other folder imports `start/` or `cli/`.',
    advice: 'only bin/ratafia.js may import start/; accept what it builds as an argument',
    who: sourceOutside('bin', 'start'),
    mayNot: [layer('start')],
  }),
  limit({
    name: 'no-import-of-cli',
    sentence: 'No other folder imports `start/` or `cli/`.',
    advice: 'only start/ may import cli/',
    who: sourceOutside('start', 'cli'),
    mayNot: [layer('cli')],
  }),
  limit({
    name: 'bin',
    sentence: 'Only `start/` builds and connects things.',
    advice: 'bin/ratafia.js may import only start/ from our modules',
    who: inLayer('bin'),
    may: [layer('start')],
  }),
  limit({
    name: 'routes',
    sentence: 'Routes import only their operations, `http`, `web` and `api`.',
    advice:
      'routes may import operations of their own folder, grants, third-party, http, web, api, errors.ts and clock.ts',
    who: inLayer('routes'),
    may: [
      own('operation', 'routes'),
      folder('grants'),
      folder('third-party'),
      layer('http', 'web', 'api', 'shared'),
    ],
  }),
  limit({
    name: 'operations',
    sentence:
      'Operations import only cores, `keyring`, operations and their own store; from other stores only types.',
    advice:
      'pass what else the operation needs as an argument, and import the type of a store with `import type`',
    who: inLayer('operation'),
    may: [
      own('store'),
      typesOf(layer('store')),
      layer('operation', 'keyring', 'core', 'api', 'files', 'shared'),
    ],
  }),
  limit({
    name: 'operations-know-no-http',
    sentence: 'Operations do not know about HTTP or Fastify.',
    advice: 'return plain values or throw a RequestError; routes and http turn them into HTTP',
    who: inLayer('operation', 'remembered', 'store', 'keyring', 'database'),
    mayNot: [library('fastify', '@fastify/', 'node:http', 'node:https', 'node:http2')],
  }),
  limit({
    name: 'stores',
    sentence: 'Stores import only `database`, `api` and their own folder.',
    advice: 'a store may import database, api, errors.ts, clock.ts, and stores and types of its own folder',
    who: (place) => place.layer === 'store' && place.folder !== 'keyring',
    may: [layer('database', 'api', 'shared'), own('store'), typesOf(own('operation'))],
  }),
  limit({
    name: 'stores-have-owners',
    sentence: 'Only operations use stores.',
    advice: 'call an operation',
    who: inLayer('http', 'web', 'telemetry', 'cli', 'config', 'files'),
    mayNot: [valuesOf(layer('store')), layer('remembered')],
  }),
  limit({
    name: 'remembered',
    sentence: 'A node caches positive results of verification only while it receives change notifications.',
    advice:
      'remembered-<nouns>.ts wraps a store of its folder; it may import that store, types of the folder, and database',
    who: inLayer('remembered'),
    may: [own('store'), typesOf(own('operation')), layer('database', 'api', 'shared')],
  }),
  limit({
    name: 'database-is-for-stores',
    sentence: 'Only stores use `database`.',
    advice: 'call an operation, which uses a store',
    who: inLayer('http', 'web', 'telemetry', 'config', 'files'),
    mayNot: [layer('database')],
  }),
  limit({
    name: 'sql-in-stores',
    sentence: 'Only files named <noun>-store.ts contain SQL.',
    advice: 'move the statement to a store, or to database/',
    who: sourceOutside('store', 'database'),
    mayNot: [library('kysely', 'pg', 'node:sqlite')],
    uses: isStatement,
  }),
  limit({
    name: 'http-knows-no-feature',
    sentence: '`http` does not know about features.',
    advice: 'let the feature pass http what it needs, in start/',
    who: inLayer('http'),
    mayNot: [layer('operation', 'routes')],
  }),
  limit({
    name: 'keyring',
    sentence: 'Operations import `keyring`, so it must not import operations.',
    advice: 'the keyring may import its own files, cores, database, api, errors.ts and clock.ts',
    who: (place) => place.folder === 'keyring' && !isTest(place),
    may: [ownFolder, layer('core', 'database', 'api', 'shared')],
  }),
  limit({
    name: 'database',
    sentence: 'Stores import `database`, so it must not import stores.',
    advice: 'the database folder may import its own files, api, errors.ts and clock.ts',
    who: inLayer('database'),
    may: [ownFolder, layer('api', 'shared')],
  }),
  limit({
    name: 'shared',
    sentence: 'Every layer can import shared files, so they must not import the layers.',
    advice: 'move the file into a folder',
    who: inLayer('shared'),
    may: [layer('shared', 'api')],
  }),
  limit({
    name: 'installation',
    sentence: 'Only `start/` builds and connects things.',
    advice: 'only start/ and cli/ may import the installation; accept the parts that you use as arguments',
    who: sourceOutside('start', 'cli'),
    mayNot: [layer('installation')],
  }),
  limit({
    name: 'config',
    sentence: 'Only the config module reads the environment. All others get explicit arguments.',
    advice: 'config may import its own files, files, api, and the files that every layer may import',
    who: inLayer('config'),
    may: [ownFolder, layer('files', 'api', 'shared')],
  }),
  limit({
    name: 'files',
    sentence: 'A folder is about one concept of the domain.',
    advice:
      'files/ is for any feature, so it may import only its own files and those that every layer may import',
    who: inLayer('files'),
    may: [ownFolder, layer('api', 'shared')],
  }),
  limit({
    name: 'demo',
    sentence: 'The device of the demo uses only HTTP and signatures, as snapd does.',
    advice: 'demo/ may import only its own files, assertions and the files that every layer may import',
    who: inLayer('demo'),
    may: [ownFolder, layer('core', 'shared')],
  }),
  limit({
    name: 'demo-is-for-commands',
    sentence: 'Only `ratafia demo` loads the demo.',
    advice: 'a service must work without the demo; only start/ and cli/ may import it',
    who: sourceOutside('demo', 'start', 'cli'),
    mayNot: [layer('demo')],
  }),
  limit({
    name: 'workers',
    sentence: 'A supervisor runs the service in several processes, and does not know what they do.',
    advice:
      'workers may import their own files, telemetry and what every layer may import; start/ passes the rest',
    who: inLayer('workers'),
    may: [ownFolder, layer('telemetry', 'shared')],
  }),
  limit({
    name: 'processes-are-for-start',
    sentence: 'The handling of a request does not depend on the process.',
    advice: 'accept what processes share as an argument (limits/counters.ts)',
    who: sourceOutside('workers', 'start', 'cli'),
    mayNot: [layer('workers'), library('node:cluster', 'node:child_process')],
  }),
  limit({
    name: 'environment',
    sentence: 'Only the config module reads the environment.',
    advice: 'add a variable in config/, and accept its value as an argument',
    who: sourceOutside('config', 'bin'),
    mayNot: [library('node:process')],
    uses: (use) => use === 'process.env',
  }),

  // Everywhere
  limit({
    name: 'sources-import-no-tests',
    sentence: 'Sources must not import tests.',
    advice: 'a file that a source needs is not test support; move it',
    who: sourceOutside(),
    mayNot: [test],
  }),
  limit({
    name: 'imports-are-plain',
    sentence: 'Every import can be checked.',
    advice: 'import an existing file or package, with its name as a string',
    who: sourceOutside(),
    mayNot: [(target) => target.kind === 'nothing'],
  }),
  {
    name: 'folder-size',
    sentence: 'A folder is about one concept of the domain, and has at most about 15 source files.',
    advice: 'find another concept in the folder, and give it its own folder',
    find: findCrowdedFolders,
  },
  {
    name: 'folders-one-way',
    sentence: 'Imports between folders have no cycles.',
    advice: 'move what both folders need to a folder that both can import',
    find: findFolderCycles,
  },
  {
    name: 'no-cycles',
    sentence: 'Imports have no cycles.',
    advice: 'move what both files need to a third file',
    find: findCycles,
  },
]

const MOST_FILES = 16
/** The migrations are a numbered list that only grows, and cannot be divided by concept. */
const NUMBERED = 'packages/server/src/database/schema/migrations'

function* findCrowdedFolders({ files }: Tree) {
  const sources = files.filter(({ place }) => !isTest(place)).map(({ place }) => posix.dirname(place.path))
  for (const folder of new Set(sources)) {
    if (folder === NUMBERED) continue
    const count = sources.filter((one) => one === folder).length
    if (count > MOST_FILES) yield { path: folder, line: 1, what: `has ${count} source files` }
  }
}

function declaredDependencies(): Rule {
  function* find({ files, packages }: Tree) {
    for (const { place, imports } of files.filter((file) => !isTest(file.place))) {
      const { name, dependencies } = packages.get(place.package) ?? {}
      for (const { line, target } of imports) {
        const needed = target.kind === 'ours' ? packages.get(target.place.package)?.name : target.name
        if (target.kind === 'builtin' || target.kind === 'nothing' || needed === undefined) continue
        if (needed === name || dependencies?.has(needed)) continue
        yield { path: place.path, line, what: `imports ${nameOf(target)}` }
      }
    }
  }
  return {
    name: 'declared-dependencies',
    sentence: 'Other projects can use each package. It has exports, docstrings and a README.',
    advice: 'add it to "dependencies" in the package.json of the package that imports it',
    find,
  }
}
