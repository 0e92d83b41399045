import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { docsSiteAsset } from '../docs/site/docs-site.ts'
import {
  type Manifest,
  publishedExports,
  publishedManifest,
  publishedProgram,
  publishedReadme,
} from './manifest.ts'

export interface Built {
  readonly name: string
  /** Absolute; an argument for `npm pack` and `npm publish`. */
  readonly directory: string
}

interface Package {
  /** Absolute. */
  readonly source: string
  /** Relative to the repository, with forward slashes. */
  readonly directory: string
  readonly output: string
  readonly manifest: Manifest
}

/**
 * Deletes `output`, then compiles each package below `root`/packages to `output`/NAME: JavaScript and types in dist/,
 * programs in bin/, package.json, README.md, LICENSE; a package with a program also has the docs site. Returns them in
 * dependency order.
 * Throws an Error with the compiler's output if a source has errors; without `check`, only if it cannot be compiled.
 */
export function buildPackages(root: string, output: string, { check = true } = {}): readonly Built[] {
  rmSync(output, { recursive: true, force: true })
  const packages = inOrder(
    globSync('packages/*', { cwd: root }).map((path) => {
      const source = join(root, path)
      const manifest: Manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
      return {
        source,
        directory: `packages/${basename(source)}`,
        output: join(output, basename(source)),
        manifest,
      }
    }),
  )
  for (const each of packages) {
    compile(root, each, packages, check)
    copyAssets(each)
    copyPrograms(each)
    // The service finds it next to its program.
    if (each.manifest.bin !== undefined)
      writeFileSync(join(each.output, 'dist/docs-site.json'), docsSiteAsset())
    const manifest = publishedManifest(each.manifest, each.directory)
    writeFileSync(join(each.output, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    cpSync(join(root, 'LICENSE'), join(each.output, 'LICENSE'))
    const readme = join(each.source, 'README.md')
    if (existsSync(readme)) {
      const text = publishedReadme(readFileSync(readme, 'utf8'), each.directory)
      writeFileSync(join(each.output, 'README.md'), text)
    }
  }
  return packages.map(({ manifest, output: directory }) => ({ name: manifest.name, directory }))
}

/** Sorts dependencies first. There are no cycles, because the import rules forbid them. */
function inOrder(packages: readonly Package[]): Package[] {
  const done = new Set<Package>()
  const add = (each: Package) => {
    for (const other of packages) {
      if (!done.has(other) && other.manifest.name in (each.manifest.dependencies ?? {})) add(other)
    }
    done.add(each)
  }
  for (const each of packages) add(each)
  return [...done]
}

function compile(
  root: string,
  { source, output, manifest }: Package,
  packages: readonly Package[],
  check: boolean,
): void {
  mkdirSync(output, { recursive: true })
  // Compile against our other packages as built, which is what an installation has.
  const paths = packages.flatMap(({ manifest: other, output: built }) =>
    Object.entries(publishedExports(other)).map(([subpath, { types }]) => [
      join(other.name, subpath),
      [join(built, types)],
    ]),
  )
  const config = join(output, 'tsconfig.json')
  const options = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      noEmitOnError: true,
      noCheck: !check,
      // A package without exports is never imported, so it needs no types.
      declaration: manifest.exports !== undefined,
      rewriteRelativeImportExtensions: true,
      rootDir: join(source, 'src'),
      outDir: join(output, 'dist'),
      paths: Object.fromEntries(paths),
    },
    include: [join(source, 'src/**/*.ts')],
    exclude: [join(source, 'src/**/*.test.ts'), join(source, 'src/**/*.fixture.ts')],
  }
  writeFileSync(config, JSON.stringify(options))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', config], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${source} does not compile:\n${stdout}`)
  rmSync(config)
}

/** Copies the files next to the sources that are not sources, such as style sheets. */
function copyAssets({ source, output }: Package): void {
  const from = join(source, 'src')
  cpSync(from, join(output, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.ts') })
}

function copyPrograms({ source, output }: Package): void {
  for (const program of globSync('bin/*.js', { cwd: source })) {
    mkdirSync(join(output, 'bin'), { recursive: true })
    const text = publishedProgram(readFileSync(join(source, program), 'utf8'))
    writeFileSync(join(output, program), text, { mode: 0o755 })
  }
}
