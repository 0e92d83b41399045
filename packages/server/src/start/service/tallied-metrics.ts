/** Refused requests and exchanges of ID tokens, which the metrics count, are counted for administrators too. */
import type { Tally } from '../../counting/tally.ts'
import type { Metrics } from '../../telemetry/metrics.ts'

export const talliedMetrics = (metrics: Metrics, tally: Tally): Metrics => ({
  ...metrics,
  answered(request) {
    metrics.answered(request)
    if (request.refusal !== undefined) tally.add('refusals', request.refusal)
  },
  refusedEarly(code, times = 1) {
    metrics.refusedEarly(code, times)
    tally.add('refusals', code, undefined, times)
  },
  exchanged(issuer, outcome) {
    metrics.exchanged(issuer, outcome)
    tally.add('logins', outcome === 'granted' ? 'job' : 'job-refused')
  },
})
