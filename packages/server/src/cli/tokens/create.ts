/** `ratafia tokens create`: logs in, prints only the token and keeps nothing (contract/administration.md, D4). */
import { hostname } from 'node:os'
import { systemClock } from '../../clock.ts'
import type { CredentialForm } from '../../credential-forms.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { howToLogIn } from '../login/in-browser.ts'
import { logInAndExport, printExported } from '../login/log-in-and-export.ts'
import { packageReference, readAhead } from '../option-values.ts'
import type { LimitOptions } from './limit-options.ts'
import { wantedLimits } from './read-limit-options.ts'

export interface CreateOptions extends LimitOptions {
  readonly url?: string
  readonly agent?: string
  readonly for: CredentialForm
  /** Whether the token has no limits; otherwise it must have at least one. */
  readonly all?: boolean
  readonly expires: string
  readonly description?: string
}

/** Creates and prints the token. Throws `UsageError`, `FileError`, `ServiceRefusal`, `ServiceAway`. */
export async function create(options: CreateOptions, context: CommandContext): Promise<void> {
  const { permission, channel, package: packages, store, for: form, all = false } = options
  const isLimited = [permission, channel, packages, store].some((limit) => limit !== undefined)
  if (all && isLimited) throw new UsageError('--all means no limits. Leave out either --all or the limits.')
  if (!all && !isLimited) {
    throw new UsageError(
      'Choose what the token can do: limit it with --permission, --channel, --package or --store, or pass --all for everything that your account can do.',
    )
  }
  // Packages can be names here, so the service checks them.
  wantedLimits({ permission, channel, store })
  const { url } = await context.findService(options.url)
  const expires = readAhead('--expires', options.expires, systemClock())
  const wanted = {
    description: options.description ?? `ratafia@${hostname()}`,
    ...(permission && { permissions: permission }),
    ...(channel && { channels: channel }),
    ...(packages && { packages: packages.map(packageReference) }),
    ...(store && { store_ids: store }),
    expires: expires?.toISOString(),
  }
  const logIn = await howToLogIn(options.agent, context)
  await printExported(url, await logInAndExport({ url, form, wanted, logIn }), context)
}
