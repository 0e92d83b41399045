/** The log: pino JSON, pretty on a terminal. What may hold a secret is left out here, whoever logs it. */
import { type Logger, type LoggerOptions, pino } from 'pino'
import { PinoPretty as pretty } from 'pino-pretty'
import { pinoHttpSerializers } from './serializers.ts'

export type Log = Logger

/** `pretty`: for people at a terminal. Standard output is for answers: the log goes to standard error. */
export function createLog(options: { level: string; pretty: boolean }): Log {
  const settings: LoggerOptions = { level: options.level, serializers: pinoHttpSerializers }
  // Workers write to one pipe: lines of several stay whole as long as a write is no larger than PIPE_BUF.
  if (!options.pretty) return pino(settings, pino.destination({ dest: 2, sync: false, maxWrite: 4096 }))
  // In this thread: a line is written before the program goes on, also when that is its end.
  return pino(settings, pretty({ destination: 2, sync: true, ignore: 'pid,hostname', singleLine: true }))
}
