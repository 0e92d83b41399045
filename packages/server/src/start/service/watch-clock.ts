/** Says in the log when the clocks of this machine and the database differ, and when they agree again. */
import { clockAgreement } from '../../clock.ts'
import type { Log } from '../../telemetry/log.ts'

const LOOK_MS = 1_000

/** Looks at once, and then every second. `clockAhead` is in milliseconds. */
export function watchClock(clockAhead: () => number, log: Log): { stop(): void } {
  let known = clockAgreement(0)
  const look = () => {
    const aheadMs = clockAhead()
    const found = clockAgreement(aheadMs)
    const isNew = found.works !== known.works || found.serves !== known.serves
    known = found
    if (!isNew) return
    if (found.says === undefined) log.info({}, 'the clocks of this machine and the database agree again')
    else log.warn({ ahead_seconds: Math.round(aheadMs / 100) / 10 }, found.says)
  }
  look()
  const timer = setInterval(look, LOOK_MS).unref()
  return { stop: () => clearInterval(timer) }
}
