/**
 * The location of the caveat that a password discharges: the host that clients compare with the one they log in at. It
 * is a label: nothing signs it, and nothing depends on it here (contract/publisher-login.md, decision 8).
 */

/** The program that asks for a root, as its headers say. */
export interface AskingProgram {
  readonly host: string
  readonly userAgent: string
}

const UBUNTU_ONE = 'login.ubuntu.com'

/** Where clients with a built-in dashboard expect to log in. */
const BY_DASHBOARD: ReadonlyMap<string, string> = new Map([
  ['dashboard.snapcraft.io', UBUNTU_ONE],
  ['dashboard.staging.snapcraft.io', 'login.staging.ubuntu.com'],
])

export function loginHostFor({ host, userAgent }: AskingProgram, otherwise: string): string {
  const [name = ''] = host.toLowerCase().split(':', 1)
  const expected = BY_DASHBOARD.get(name)
  if (expected !== undefined) return expected
  // It knows this one alone, whatever address it was sent to.
  return userAgent.startsWith('snapd/') ? UBUNTU_ONE : otherwise
}
