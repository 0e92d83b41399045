import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RELEASE_TAG, REPOSITORY } from '../repository.ts'
import { publishedManifest, publishedProgram, publishedReadme } from './manifest.ts'

const manifest = {
  name: '@ratafia/macaroon',
  version: '0.1.0',
  license: 'Apache-2.0',
  exports: { '.': './src/index.ts', './bakery': './src/bakery/index.ts' },
  files: ['src', 'README.md'],
  dependencies: { '@noble/ciphers': '2.4.0' },
  devDependencies: { 'fast-check': '4.10.2' },
}

const addresses = (directory: string) => ({
  author: 'The Ratafia contributors',
  repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory },
  homepage: `${REPOSITORY}/blob/${RELEASE_TAG}/${directory}/README.md`,
  bugs: `${REPOSITORY}/issues`,
  publishConfig: { access: 'public', provenance: true },
})

test('exports point to compiled files and their types; development dependencies are left out', () => {
  assert.deepEqual(publishedManifest(manifest, 'packages/macaroon'), {
    name: '@ratafia/macaroon',
    version: '0.1.0',
    license: 'Apache-2.0',
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './bakery': { types: './dist/bakery/index.d.ts', default: './dist/bakery/index.js' },
    },
    files: ['dist'],
    dependencies: { '@noble/ciphers': '2.4.0' },
    ...addresses('packages/macaroon'),
  })
})

test('a package with a program publishes it, and gains no exports', () => {
  const program = { name: 'ratafia', version: '0.1.0', bin: { ratafia: 'bin/ratafia.js' } }
  const published = publishedManifest(program, 'packages/server')
  assert.deepEqual(published, {
    name: 'ratafia',
    version: '0.1.0',
    bin: { ratafia: 'bin/ratafia.js' },
    files: ['bin', 'dist'],
    ...addresses('packages/server'),
  })
})

for (const path of ['./dist/index.js', './src/index.js', 'src/index.ts', './src/../other/index.ts.txt']) {
  test(`refuses the export ${path}`, () => {
    assert.throws(() => publishedManifest({ ...manifest, exports: { '.': path } }, 'packages/macaroon'), {
      name: 'TypeError',
      message: `an export must be a file ./src/….ts, not ${path}`,
    })
  })
}

test('a published program imports compiled files and is otherwise unchanged', () => {
  const program = "// '../src/a.js'\nconst { run } = await import('../src/start.ts')\nimport './src/b.ts'\n"
  assert.equal(publishedProgram(program), program.replace('../src/start.ts', '../dist/start.js'))
})

test('the links of a README lead to the files of this release', () => {
  assert.equal(
    publishedReadme('[a](../../docs/tokens.md#limits), [b](https://b.example/), [c](#c)', 'packages/api'),
    `[a](${REPOSITORY}/blob/${RELEASE_TAG}/docs/tokens.md#limits), [b](https://b.example/), [c](#c)`,
  )
})
