/** The log: pino JSON, pretty on a terminal. Its serializers leave out whatever may contain a secret. */
import { type Logger, type LoggerOptions, pino } from 'pino'
import { PinoPretty as pretty } from 'pino-pretty'
import { pinoHttpSerializers } from './serializers.ts'

export type Log = Logger

/** `pretty`: for people at a terminal. The log goes to standard error; standard output is for answers. */
export function createLog(options: { level: string; pretty: boolean }): Log {
  const settings: LoggerOptions = { level: options.level, serializers: pinoHttpSerializers }
  // Workers share one pipe: their lines stay whole as long as no write is larger than PIPE_BUF.
  if (!options.pretty) return pino(settings, pino.destination({ dest: 2, sync: false, maxWrite: 4096 }))
  // Synchronous: a line is written before the program goes on, even if it exits right then.
  return pino(settings, pretty({ destination: 2, sync: true, ignore: 'pid,hostname', singleLine: true }))
}
