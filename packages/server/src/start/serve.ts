/** Implements `ratafia serve` and `ratafia identity serve`: from the environment to the processes of the service. */
import { EXIT, type Streams } from '../cli/context.ts'
import { typed } from '../cli/typed.ts'
import type { Environment } from '../config/config.ts'
import { IDENTITY_PORT } from '../config/variables/serving.ts'
import { holdYoungGeneration } from './heap-limits.ts'
import { releaseAndCommit } from './release/build.ts'
import { serviceSettings } from './settings.ts'
import { stopOnSignal } from './stopping.ts'

export interface ServeContext {
  readonly environment: Environment
  readonly streams: Streams
}

/** Serves until a signal stops it. Throws `ConfigError`, and the errors of starting. */
export async function serve(
  { environment, streams }: ServeContext,
  { identityOnly = false }: { readonly identityOnly?: boolean } = {},
): Promise<void> {
  const { hasOtherSupervisor } = await import('../workers/one-release.ts')
  // Before it reads the settings, which can differ between releases. The supervisor logs the reason.
  if (hasOtherSupervisor(releaseAndCommit(), environment)) process.exit(EXIT.replaced)
  const stop = stopOnSignal()
  holdYoungGeneration()
  const processes = await import('./service/processes.ts')
  const settings = await serviceSettings(environment, streams, identityOnly ? IDENTITY_PORT : undefined)
  // Journals are collected, and a secret must not be in them.
  const printsSetupLink = streams.stdout.isTTY === true || settings.config.setup.alwaysPrints
  await processes.serve({ ...settings, printsSetupLink, identityOnly, stop }, (text) =>
    streams.stdout.write(typed(text, streams)),
  )
}
