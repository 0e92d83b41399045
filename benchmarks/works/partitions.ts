/** Measures the cost of PostgreSQL's partitions for devices' requests, against whole tables, for `docs/scaling.md`. */
import { type Figure, ratio } from '../report/figure.ts'
import { costsOf } from './costs.ts'
import type { Work } from './work.ts'

const PARTITIONS = 32
const OF_DEVICES = /^(registration|session|refresh|device-session, first)/

export const partitions: Work = {
  name: 'partitions',
  says: `CPU of devices' requests with ${PARTITIONS} partitions, compared with whole tables`,
  async measure(run) {
    const whole = await costsOf(run)
    const divided = await costsOf(run, PARTITIONS)
    const figures = divided.all.flatMap((ours): Figure[] => {
      const other = whole.all.find(({ what }) => what === ours.what)
      if (!other || !OF_DEVICES.test(ours.what)) return []
      const facts = { what: ours.what, database: 'postgres' } as const
      const beside = (value: number) => ({ name: 'tables without partitions', value })
      return [
        ratio({ ...facts, measure: 'ms of node CPU', ours: ours.cpu }, beside(other.cpu)),
        ratio(
          { ...facts, measure: 'ms of PostgreSQL CPU', ours: ours.databaseCpu },
          beside(other.databaseCpu),
        ),
      ]
    })
    return { figures, refusals: divided.refusals }
  },
}
