import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishedManifest, publishedProgram } from './build.ts'

const manifest = {
  name: '@ratafia/macaroon',
  version: '0.1.0',
  license: 'Apache-2.0',
  exports: { '.': './src/index.ts', './bakery': './src/bakery/index.ts' },
  files: ['src', 'README.md'],
  dependencies: { '@noble/ciphers': '2.4.0' },
  devDependencies: { 'fast-check': '4.10.2' },
}

test('exports point to compiled files and their types; development dependencies are left out', () => {
  assert.deepEqual(publishedManifest(manifest), {
    name: '@ratafia/macaroon',
    version: '0.1.0',
    license: 'Apache-2.0',
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './bakery': { types: './dist/bakery/index.d.ts', default: './dist/bakery/index.js' },
    },
    files: ['dist'],
    dependencies: { '@noble/ciphers': '2.4.0' },
  })
})

test('a package with a program publishes it, and gains no exports', () => {
  const published = publishedManifest({
    name: 'ratafia',
    version: '0.1.0',
    bin: { ratafia: 'bin/ratafia.js' },
  })
  assert.deepEqual(published, {
    name: 'ratafia',
    version: '0.1.0',
    bin: { ratafia: 'bin/ratafia.js' },
    files: ['bin', 'dist'],
  })
})

for (const path of ['./dist/index.js', './src/index.js', 'src/index.ts', './src/../other/index.ts.txt']) {
  test(`refuses the export ${path}`, () => {
    assert.throws(() => publishedManifest({ ...manifest, exports: { '.': path } }), {
      name: 'TypeError',
      message: `an export must be a file ./src/….ts, not ${path}`,
    })
  })
}

test('a published program imports compiled files and is otherwise unchanged', () => {
  const program = "// '../src/a.js'\nconst { run } = await import('../src/start.ts')\nimport './src/b.ts'\n"
  assert.equal(publishedProgram(program), program.replace('../src/start.ts', '../dist/start.js'))
})
