/** The paths of the clients. */
import { delimiter, join } from 'node:path'
import { compiled } from '../../tools/test/programs.ts'

const interop = join(import.meta.dirname, '..')
const root = join(interop, '..')

export const clientPaths = {
  root,
  interop,
  python: join(interop, '.venv/bin/python'),
  charmcraft: join(interop, '.venv/bin/charmcraft'),
  surl: join(interop, '.venv/bin/surl_cli.py'),
  snapcraft4: join(interop, 'publishers/.venv-snapcraft-4'),
  snapcraft4Python: join(interop, 'publishers/.venv-snapcraft-4/bin/python'),
  snapcraft7Python: join(interop, 'publishers/.venv-snapcraft-7/bin/python'),
  openApiPython: join(interop, 'openapi/.venv/bin/python'),
  oapiCodegen: join(interop, '.bin/oapi-codegen'),
  openApiGenerator: join(interop, '.bin/openapi-generator/openapi-generator-cli.jar'),
  openApiRust: join(interop, '.bin/openapi-rust'),
  /** A Go that is newer than Debian's. */
  go: join(interop, '.bin/go/bin/go'),
  goBakery: join(interop, '.bin/go-bakery'),
  rustMacaroons: join(interop, '.bin/rust-macaroons'),
  snapdDevice: join(interop, '.bin/snapd-device'),
  snapd: join(interop, '.bin/snapd'),
  snap: join(interop, '.bin/snap'),
  promtool: join(interop, '.bin/promtool'),
  keycloak: join(interop, '.bin/keycloak'),
  nginx: '/usr/sbin/nginx',
  person: join(interop, 'support/person.ts'),
  // Chromium's engine without its user interface, which would take about a third of the CPU time.
  chromium: process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
} as const

/**
 * Returns the environment for a child process: this one's, without the service's settings (the user who runs the
 * tests may have their own), and with the Node of `npm ci` first in the path.
 */
export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (
      value === undefined ||
      /^(RATAFIA_|STORE_CREDENTIALS|BAKERY_AGENT|BROWSER$|NODE_TEST|CRAFT_|SNAPCRAFT_|CHARMCRAFT_|SURL_|PYTHON_KEYRING)/.test(
        name,
      )
    )
      continue
    kept[name] = value
  }
  kept['PATH'] = [join(root, 'node_modules/.bin'), kept['PATH']].join(delimiter)
  return { ...kept, NODE_COMPILE_CACHE: compiled(), ...more }
}
