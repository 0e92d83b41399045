/** Reads the files of the certificate while the service runs, and serves what they contain. */
import type { Clock } from '../../clock.ts'
import { type Config, ConfigError, serviceAddress, type TlsFiles } from '../../config/config.ts'
import { outOfDate, type ReadTlsPair, readTlsPair, tlsWarnings } from '../../config/tls/served-files.ts'
import type { Log } from '../../telemetry/log.ts'
import type { ServedTls, TlsSource } from '../../tls/served-tls.ts'

export interface TlsFilesWatch extends TlsSource {
  /** Reads the files now, and logs the result even if it is the same as before. */
  reload(): void
  /** Resolves when the files were read as often as was asked so far. */
  looked(): Promise<void>
  stop(): void
}

const LOOK_MS = 60_000

/**
 * Reads the files, then again each minute and on SIGHUP. A pair that cannot be served, such as one that has expired or
 * whose key does not belong to the certificate, is logged once, and the previous one stays. At the start, an expired
 * certificate only causes a warning; other unusable files throw `ConfigError` (decision 68).
 */
export async function watchTlsFiles(
  config: Config & { readonly tls: TlsFiles },
  log: Log,
  clock?: Clock,
): Promise<TlsFilesWatch> {
  const { tls: files } = config
  const warn = (read: ReadTlsPair) => {
    for (const warning of tlsWarnings(read, {
      files,
      address: serviceAddress(config),
      ...(clock && { clock }),
    }))
      log.warn(warning)
  }
  const first = await readTlsPair(files)
  warn(first)
  let served: ServedTls = { pair: first.pair }
  const listeners: ((served: ServedTls) => void)[] = []
  const change = (next: ServedTls) => {
    served = next
    for (const listener of listeners) listener(next)
  }

  const look = async (isAsked: boolean) => {
    const { pair, problem: before } = served
    try {
      const read = await readTlsPair(files)
      const isSame = read.pair.cert === pair.cert && read.pair.key === pair.key
      const late = isSame ? undefined : outOfDate(read.certificate, clock)
      if (late !== undefined) throw new ConfigError(`RATAFIA_TLS_CERT: ${files.cert} ${late}.`)
      if (isSame && before === undefined) {
        if (isAsked) log.info('the TLS certificate has not changed')
        return
      }
      if (!isSame) warn(read)
      change({ pair: read.pair })
      log.info(
        { until: read.certificate.validToDate.toISOString() },
        'serving the TLS certificate of the files',
      )
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const { message: problem } = error
      if (problem !== before) change({ pair, problem })
      if (problem !== before || isAsked) log.warn({ problem }, 'keeping the previous TLS certificate')
    }
  }
  // One after the other: a look that began before a file was written must not end after one that read it.
  let last = Promise.resolve()
  const next = (isAsked: boolean) => {
    last = last.then(() => look(isAsked))
  }
  const reload = () => next(true)
  const timer = setInterval(() => next(false), LOOK_MS).unref()
  process.on('SIGHUP', reload)
  return {
    current: () => served,
    follow: (listener) => void listeners.push(listener),
    reload,
    looked: () => last,
    stop: () => {
      clearInterval(timer)
      process.off('SIGHUP', reload)
    },
  }
}
