/** Compares exchanges with a durable insert through the same driver. Each exchange opens a session. */
import { join } from 'node:path'
import { makeScene } from '../../faults/load/scene.ts'
import { manyLogins } from '../data/logins.ts'
import { manyTokens } from '../data/tokens.ts'
import { type Refusal, refusalsOf } from '../harness/refusals.ts'
import { startRepetitions } from '../harness/repetitions.ts'
import { alternate } from '../harness/rounds.ts'
import { type Prepared, prepare, wrk } from '../harness/wrk.ts'
import { atLeast, type Figure, ratio } from '../report/figure.ts'
import { DATABASES, newInstallation } from '../services/installation.ts'
import { contender, startRatafia } from '../services/ratafia.ts'
import { detailsOf, named, type Work } from './work.ts'

const ROWS = join(import.meta.dirname, '../services/rows.ts')

export const exchanges: Work = {
  name: 'exchange',
  says: 'exchanges, compared with a durable insert through the same driver, by 32 clients',
  async measure(run) {
    const scene = await makeScene({ people: 10, models: 1, keys: 1 })
    const figures: Figure[] = []
    const refusals: Refusal[] = []
    // More than a round uses, because wrk counts a round's whole time, even if its share of logins is used up.
    const most = (run.quick ? 1_500 : 8_000) * run.pace.seconds
    for (const database of DATABASES) {
      const installation = await newInstallation(database, scene, run.directory)
      // The warm-up and a profile are also rounds.
      const count = (run.pace.rounds + 2) * (most + 100)
      run.say(`${database}: creating ${count} logins`)
      const file = join(installation.directory, 'logins')
      await prepare(file, (await manyLogins(installation, scene, count)).map(exchanging))
      await manyTokens(installation, scene, 1_000)
      const service = await startRatafia(installation)
      run.after(service.stop)
      const insert = await startRepetitions('insert', [ROWS, 'insert'], installation.environment)
      run.after(insert.stop)
      const load = wrk({ port: service.port, file, once: { most } })
      const ours = contender('exchange', service, load, `exchange-${database}`)
      const measured = await alternate([ours, insert], run.pace)
      const [exchange, bare] = [named(measured, 'exchange'), named(measured, 'insert')]
      figures.push(
        ratio(
          {
            ...{ what: 'exchange', database, measure: 'per second', ours: exchange.median.rate },
            more: { rounds: measured.map(detailsOf) },
          },
          { name: 'durable insert', value: bare.median.rate },
          atLeast(0.8),
        ),
      )
      refusals.push(...(await refusalsOf(service, scene)))
      await Promise.all([service.stop(), insert.stop()])
    }
    return { figures, refusals }
  },
}

const exchanging = (macaroons: string): Prepared => ({
  ...{ method: 'POST', path: '/api/v2/tokens/exchange', body: '{}' },
  headers: { Macaroons: macaroons, 'Content-Type': 'application/json' },
})
