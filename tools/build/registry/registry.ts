/** A registry on loopback, for the published packages. It fetches all others from the registry that npm uses. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test/free-port.ts'

export interface Registry {
  /** The environment in which npm uses this registry, with a cache of its own. */
  readonly environment: Readonly<Record<string, string>>
  /** Publishes the package in this directory. Throws an Error with npm's output if npm fails. */
  publish(directory: string): void
  stop(): void
}

const HERE = import.meta.dirname

/** The directory of the oldest Node that the packages support. Not node_modules/.bin, which also has {@link OLD_NPM}. */
export const OLDEST_NODE = join(HERE, `node_modules/node-linux-${process.arch}/bin`)

/** The npm of Debian 13, to be run by Node. */
export const OLD_NPM = join(HERE, 'node_modules/npm/bin/npm-cli.js')

/** Installs Verdaccio, {@link OLDEST_NODE} and {@link OLD_NPM}. */
export function installRegistry(): void {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: HERE, stdio: 'pipe' })
}

/** Starts the registry. `directory` is for its files. Resolves when it answers. */
export async function startRegistry(directory: string): Promise<Registry> {
  mkdirSync(directory, { recursive: true })
  const others = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const address = `http://127.0.0.1:${await freePort()}/`
  const anyone = { access: '$all', publish: '$all' }
  const config = {
    storage: join(directory, 'storage'),
    listen: address,
    uplinks: { others: { url: others, timeout: '60s' } },
    // Ours are never looked up elsewhere.
    packages: { ratafia: anyone, '@ratafia/*': anyone, '**': { access: '$all', proxy: 'others' } },
    log: { type: 'stdout', level: 'warn' },
  }
  // A file of YAML can be JSON.
  writeFileSync(join(directory, 'config.yaml'), JSON.stringify(config))
  const words = [
    join(HERE, 'node_modules/verdaccio/bin/verdaccio'),
    '--config',
    join(directory, 'config.yaml'),
  ]
  const child = spawn(process.execPath, words, { cwd: directory, stdio: 'ignore' })
  await answers(address, child)
  const environment = {
    npm_config_registry: address,
    npm_config_cache: join(directory, 'cache'),
    // npm publishes only with a token, and this registry accepts any.
    [`npm_config_${address.slice('http:'.length)}:_authToken`]: 'any',
  }
  return {
    environment,
    publish: (source) => {
      // Provenance is made by the forge that publishes. npm requires a tag for a pre-release.
      const options = ['--provenance=false', '--tag=latest', '--ignore-scripts', '--loglevel=error']
      execFileSync('npm', ['publish', source, ...options], {
        env: { ...process.env, ...environment },
        stdio: 'pipe',
      })
    },
    stop: () => child.kill(),
  }
}

async function answers(address: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const isUp = await fetch(`${address}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the registry does not start')
}
