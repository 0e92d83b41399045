/** Creates the log: pino JSON, or pretty lines on a terminal. Serializers leave out what may contain a secret. */
import type { Writable } from 'node:stream'
import { type Logger, type LoggerOptions, pino } from 'pino'
import type { PinoPretty } from 'pino-pretty'
import { LogPipe } from './log-pipe.ts'
import { pinoHttpSerializers } from './serializers.ts'

export type Log = Logger

export interface LogOptions {
  readonly level: string
  /** The factory of the stream for a terminal, which only `serve` at a terminal loads. */
  readonly pretty: typeof PinoPretty | false
  /** Default: standard error of this process, because standard output is for answers. */
  readonly to?: Writable
  /** Whether other processes write to the same standard error. Default: no. */
  readonly shared?: boolean
}

export function createLog({ level, pretty, to, shared = false }: LogOptions): Log {
  const settings: LoggerOptions = { level, serializers: pinoHttpSerializers }
  const own = to === undefined || to === process.stderr
  if (pretty) {
    // Synchronous, so that a line is written before the program continues, even if it exits at once.
    const destination = own ? 2 : to
    return pino(settings, pretty({ destination, sync: true, ignore: NOT_AT_A_TERMINAL, singleLine: true }))
  }
  return own ? ownLog(settings, shared) : pino(settings, to)
}

/** Fields that do not help a user who has just started the service. */
const NOT_AT_A_TERMINAL = 'pid,hostname,migrations'

/** The bytes of a write: PIPE_BUF, up to which lines of several processes on one pipe stay intact. */
const BLOCK = { alone: 32_768, shared: 4_096 } as const

const ownLog = (settings: LoggerOptions, isShared: boolean): Log =>
  pino(settings, new LogPipe(isShared ? BLOCK.shared : BLOCK.alone))
