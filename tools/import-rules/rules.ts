// The import rules of the design ("Who may import whom"), one row each: whom the row binds, what they may or may
// not import, and the sentence it enforces. Tests may import from every layer of their own package, but of no other.

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
    sentence: 'cores (`macaroon`, `assertions`) import no other package of ours',
    advice: 'a core takes what it needs as arguments',
    who: inLayer('core'),
    may: [ownPackage],
  }),
  limit({
    name: 'cores-are-pure',
    sentence: 'Cores have no I/O, clock, environment or logger: keys, time and look-ups are arguments.',
    advice: `of Node's modules a core may import ${PURE_BUILTINS.join(', ')}; no clock, no randomness, no process`,
    who: inLayer('core'),
    mayNot: [(target) => target.kind === 'builtin' && !PURE_BUILTINS.includes(target.name)],
    uses: (use) => !isStatement(use),
  }),
  limit({
    name: 'api-stands-alone',
    sentence: 'packages/api: wire schemas of every operation -> types -> OpenAPI; error codes; ids',
    advice: 'the wire is described without the packages that speak it',
    who: inLayer('api'),
    may: [ownPackage],
  }),
  limit({
    name: 'nobody-imports-server',
    sentence: 'nobody imports `server`',
    advice: 'not even a test: move what is needed into a package below it',
    who: (place) => place.package !== 'server',
    mayNot: [ours((place) => place.package === 'server')],
  }),
  limit({
    name: 'packages-by-name',
    sentence: 'Each package is one that others can use: exports, docstrings, a README.',
    advice: 'import the package by its name: a path into it does not exist where it is installed',
    who: () => true,
    mayNot: [
      (target, from) =>
        target.kind === 'ours' && target.by === 'path' && target.place.package !== from.package,
    ],
  }),
  declaredDependencies(),

  // Inside the server
  limit({
    name: 'nobody-imports-start',
    sentence: 'nothing imports `start/` or `cli/`',
    advice: 'only bin/ratafia.js imports start/: take what it builds as an argument',
    who: sourceOutside('bin', 'start'),
    mayNot: [layer('start')],
  }),
  limit({
    name: 'nobody-imports-cli',
    sentence: 'nothing imports `start/` or `cli/`',
    advice: 'only start/ imports cli',
    who: sourceOutside('start', 'cli'),
    mayNot: [layer('cli')],
  }),
  limit({
    name: 'bin',
    sentence: 'start/: the only folder that builds and connects things',
    advice: 'bin/ratafia.js imports start/ and nothing else of ours',
    who: inLayer('bin'),
    may: [layer('start')],
  }),
  limit({
    name: 'routes',
    sentence: '`routes.ts` -> its operations, `http`, `api`',
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
      "operations -> cores, their store, `keyring`, another folder's operations (of its store only the type, by `import type`)",
    advice: 'what else an operation needs is an argument: import the type of a store with `import type`',
    who: inLayer('operation'),
    may: [
      own('store'),
      typesOf(layer('store')),
      layer('operation', 'keyring', 'core', 'api', 'files', 'shared'),
    ],
  }),
  limit({
    name: 'operations-know-no-http',
    sentence: 'Operations know no HTTP and no Fastify.',
    advice: 'return plain values and throw a RequestError: routes.ts and http turn them into HTTP',
    who: inLayer('operation', 'remembered', 'store', 'keyring', 'database'),
    mayNot: [library('fastify', '@fastify/', 'node:http', 'node:https', 'node:http2')],
  }),
  limit({
    name: 'stores',
    sentence: 'stores -> `database`',
    advice: 'a store may import database, api, errors.ts, clock.ts, and stores and types of its own folder',
    who: (place) => place.layer === 'store' && place.folder !== 'keyring',
    may: [layer('database', 'api', 'shared'), own('store'), typesOf(own('operation'))],
  }),
  limit({
    name: 'stores-have-owners',
    sentence: "operations -> […] another folder's operations (of its store only the type)",
    advice: 'call an operation: only operations know a store',
    who: inLayer('http', 'web', 'telemetry', 'cli', 'config', 'files'),
    mayNot: [valuesOf(layer('store')), layer('remembered')],
  }),
  limit({
    name: 'remembered',
    sentence: 'Verification caches its positive result only while the node hears revocations.',
    advice:
      'remembered-<nouns>.ts wraps a store of its own folder: it may import that, database, and types beside it',
    who: inLayer('remembered'),
    may: [own('store'), typesOf(own('operation')), layer('database', 'api', 'shared')],
  }),
  limit({
    name: 'database-is-for-stores',
    sentence: 'stores -> `database`',
    advice: 'call an operation: it asks a store, and the store asks the database',
    who: inLayer('http', 'web', 'telemetry', 'config', 'files'),
    mayNot: [layer('database')],
  }),
  limit({
    name: 'sql-in-stores',
    sentence: '<noun>-store.ts: the only files with SQL',
    advice: 'write the statement in a store, or in database/',
    who: sourceOutside('store', 'database'),
    mayNot: [library('kysely', 'pg', 'node:sqlite')],
    uses: isStatement,
  }),
  limit({
    name: 'http-knows-no-feature',
    sentence: '`http` knows no feature.',
    advice: 'the feature hands http what it needs, through start/',
    who: inLayer('http'),
    mayNot: [layer('operation', 'routes')],
  }),
  limit({
    name: 'keyring',
    sentence: 'operations -> cores, their store, `keyring`: it stands below them',
    advice: 'the keyring may import its own files, cores, database, api, errors.ts and clock.ts',
    who: (place) => place.folder === 'keyring' && !isTest(place),
    may: [ownFolder, layer('core', 'database', 'api', 'shared')],
  }),
  limit({
    name: 'database',
    sentence: 'stores -> `database`: it stands below them',
    advice: 'the database folder may import its own files, api, errors.ts and clock.ts',
    who: inLayer('database'),
    may: [ownFolder, layer('api', 'shared')],
  }),
  limit({
    name: 'shared',
    sentence: 'start/: the only folder that builds and connects things',
    advice: 'what every layer may import must not lead back into one: put the file into a folder',
    who: inLayer('shared'),
    may: [layer('shared', 'api')],
  }),
  limit({
    name: 'installation',
    sentence: 'start/: the only folder that builds and connects things',
    advice: 'only start/ and cli/ know an installation: take what you use of it as an argument',
    who: sourceOutside('start', 'cli'),
    mayNot: [layer('installation')],
  }),
  limit({
    name: 'config',
    sentence: 'Only the config module reads the environment; below it, explicit arguments.',
    advice: 'config may import its own files, files, api, and the files that every layer may import',
    who: inLayer('config'),
    may: [ownFolder, layer('files', 'api', 'shared')],
  }),
  limit({
    name: 'files',
    sentence: 'A folder holds one thing of the field.',
    advice:
      'files/ reads and writes files for any feature: it may import its own files, and those that every layer may import',
    who: inLayer('files'),
    may: [ownFolder, layer('api', 'shared')],
  }),
  limit({
    name: 'workers',
    sentence: 'A supervisor runs the service in several processes, and knows nothing of what they do.',
    advice:
      'workers may import their own files, telemetry, and the files that every layer may import; start/ tells them the rest',
    who: inLayer('workers'),
    may: [ownFolder, layer('telemetry', 'shared')],
  }),
  limit({
    name: 'processes-are-for-start',
    sentence: 'A request does not know which process answers it.',
    advice: 'take what is shared between processes as an argument (limits/counters.ts)',
    who: sourceOutside('workers', 'start', 'cli'),
    mayNot: [layer('workers'), library('node:cluster', 'node:child_process')],
  }),
  limit({
    name: 'environment',
    sentence: 'Only the config module reads the environment',
    advice: 'add a variable in config/, and take its value as an argument',
    who: sourceOutside('config', 'bin'),
    mayNot: [library('node:process')],
    uses: (use) => use === 'process.env',
  }),

  // Everywhere
  limit({
    name: 'sources-import-no-tests',
    sentence: 'Tests stand beside what they test.',
    advice: 'if a source needs it, it is not test support: move it',
    who: sourceOutside(),
    mayNot: [test],
  }),
  limit({
    name: 'imports-are-plain',
    sentence: 'Who may import whom (checked in CI)',
    advice: 'write the name of a file or package that exists, as a string',
    who: sourceOutside(),
    mayNot: [(target) => target.kind === 'nothing'],
  }),
  {
    name: 'folder-size',
    sentence: 'A folder holds one thing of the field, at most about 15 source files.',
    advice: 'find the feature that hides in it, and give it a folder of its own',
    find: findCrowdedFolders,
  },
  {
    name: 'folders-one-way',
    sentence: 'Imports between folders run one way.',
    advice: 'move what both folders need below both',
    find: findFolderCycles,
  },
  {
    name: 'no-cycles',
    sentence: "A request's way is one line.",
    advice: 'move what both need into a file of its own',
    find: findCycles,
  },
]

const MOST_FILES = 16
/** A numbered list that only grows: no folder of it would be one thing. */
const NUMBERED = 'packages/server/src/database/schema/migrations'

function* findCrowdedFolders({ files }: Tree) {
  const sources = files.filter(({ place }) => !isTest(place)).map(({ place }) => posix.dirname(place.path))
  for (const folder of new Set(sources)) {
    if (folder === NUMBERED) continue
    const count = sources.filter((one) => one === folder).length
    if (count > MOST_FILES) yield { path: folder, line: 1, what: `holds ${count} source files` }
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
    sentence: 'Each package is one that others can use: exports, docstrings, a README.',
    advice: 'name it under "dependencies" in the package.json of the package that imports it',
    find,
  }
}
