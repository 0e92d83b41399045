/** The log: pino JSON, pretty on a terminal. Its serializers leave out whatever may contain a secret. */
import type { Writable } from 'node:stream'
import { type Logger, type LoggerOptions, pino } from 'pino'
import type { PinoPretty } from 'pino-pretty'
import { pinoHttpSerializers } from './serializers.ts'

export type Log = Logger

export interface LogOptions {
  readonly level: string
  /** For people at a terminal: what makes the stream, which only `serve` at a terminal loads. */
  readonly pretty: typeof PinoPretty | false
  /** Default: standard error of this process. Standard output is for answers. */
  readonly to?: Writable
}

export function createLog({ level, pretty, to }: LogOptions): Log {
  const settings: LoggerOptions = { level, serializers: pinoHttpSerializers }
  const own = to === undefined || to === process.stderr
  if (pretty) {
    // Synchronous: a line is written before the program goes on, even if it exits right then.
    const destination = own ? 2 : to
    return pino(settings, pretty({ destination, sync: true, ignore: 'pid,hostname', singleLine: true }))
  }
  return own ? ownLog(settings) : pino(settings, to)
}

/** Bytes. Workers share one pipe: their lines stay whole as long as no write is larger than PIPE_BUF. */
const PIPE_BUF = 4096
/** Milliseconds that a line waits for others at most. A write for each would be a seventh of what a request costs. */
const TOGETHER_MS = 100
/** As pino numbers it. */
const WARN = 40

function ownLog(settings: LoggerOptions): Log {
  const destination = pino.destination({
    dest: 2,
    sync: false,
    maxWrite: PIPE_BUF,
    minLength: PIPE_BUF - 1,
    periodicFlush: TOGETHER_MS,
  })
  return pino(
    {
      ...settings,
      hooks: {
        logMethod(line, method, level) {
          method.apply(this, line)
          // Nothing alarming waits: it may be the last line before a crash.
          if (level >= WARN) destination.flush()
        },
      },
    },
    destination,
  )
}
