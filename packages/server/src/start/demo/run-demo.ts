/** Implements `ratafia demo`: a service in this process, with all its data in a temporary directory. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DemoOptions, UsageError } from '../../cli/context.ts'
import { DEMO_PORT } from '../../cli/demo/demo.ts'
import { unlessAborted } from '../../cli/interruption.ts'
import { note } from '../../cli/output.ts'
import { typed } from '../../cli/typed.ts'
import { demoEnvironment, ignoredByDemo } from '../../config/demo-environment.ts'
import { parsePort } from '../../config/values.ts'
import type { ServeContext } from '../serve.ts'
import { type RunningService, startService } from '../service/service.ts'
import { serviceSettings } from '../settings.ts'
import { Stopped, stopOf, stopOnSignal } from '../stopping.ts'
import { showDemo } from './show-demo.ts'

/** Runs the demo until a signal stops it. Throws {@link UsageError}, `ConfigError`, and the errors of starting. */
export async function runDemo({ port }: DemoOptions, { environment, streams }: ServeContext): Promise<void> {
  const ports = portsFor(port)
  const ignored = ignoredByDemo(environment)
  const stop = stopOnSignal()
  // Closing the terminal must also remove the directory.
  process.once('SIGHUP', () => process.emit('SIGTERM', 'SIGTERM'))
  const say = (line: string) => void streams.stdout.write(`${typed(line, streams)}\n`)
  // Only this user can read it.
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-demo-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  // A second signal, a fault or a closed output ends the process without the steps below.
  process.once('exit', remove)
  try {
    if (ignored.length > 0) note(streams, `The demo ignores ${ignored.join(', ')}.`)
    say(`Everything in this demo is in ${directory}, which is removed at the end.\n`)
    const service = await startOn(ports, directory, { streams, stop })
    try {
      await unlessAborted(showDemo({ service, directory, say, stop }), stop)
      await stopOf(stop)
    } finally {
      await service.close()
    }
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
  } finally {
    remove()
    process.off('exit', remove)
  }
  say(`\nThe demo has ended, and ${directory} is removed.`)
}

/** Returns the ports to try. Throws {@link UsageError}. */
function portsFor(given: string | undefined): readonly number[] {
  if (given === undefined) return [...Array.from({ length: 10 }, (_, at) => DEMO_PORT + at), 0]
  try {
    return [parsePort(given)]
  } catch (error) {
    throw new UsageError(`--port ${error instanceof Error ? error.message : String(error)}`)
  }
}

interface Starting extends Pick<ServeContext, 'streams'> {
  readonly stop: AbortSignal
}

/** Starts the service on the first port that is free. */
async function startOn(
  [port = 0, ...others]: readonly number[],
  directory: string,
  { streams, stop }: Starting,
): Promise<RunningService> {
  const settings = await serviceSettings(demoEnvironment(directory, port), streams)
  try {
    return await startService({ ...settings, stop, jobs: true, isDemo: true })
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException
    if (syscall !== 'listen') throw error
    if (others.length > 0) return startOn(others, directory, { streams, stop })
    const reason = code === 'EADDRINUSE' ? 'another program uses it' : 'this user may not use it'
    throw new UsageError(`--port ${port}: ${reason}. Pass another one, or leave out --port for a free one.`)
  }
}
