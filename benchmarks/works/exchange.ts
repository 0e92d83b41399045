/** Compares exchanges with a durable insert through the same driver. Each exchange opens a session. */
import { join } from 'node:path'
import {
  decodeBakeryMacaroon,
  discharge,
  dischargeAll,
  formatMacaroonsHeader,
} from '@ratafia/macaroon/bakery'
import { formatDeclared, formatTimeBefore } from '@ratafia/macaroon/conditions'
import { makeScene, type Scene } from '../../faults/load/scene.ts'
import { formatLoginMark } from '../../packages/server/src/accounts/ended-logins/login-mark.ts'
import { bundledIdentity } from '../../packages/server/src/third-party/identity-service.ts'
import { createToken } from '../../packages/server/src/tokens/create.ts'
import { opened } from '../data/opened.ts'
import { accountsOf, manyTokens } from '../data/tokens.ts'
import { type Refusal, refusalsOf } from '../harness/refusals.ts'
import { startRepetitions } from '../harness/repetitions.ts'
import { alternate } from '../harness/rounds.ts'
import { type Prepared, prepare, wrk } from '../harness/wrk.ts'
import { atLeast, type Figure, ratio } from '../report/figure.ts'
import { type BenchInstallation, DATABASES, newInstallation } from '../services/installation.ts'
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

const DAY_MS = 86_400_000

/** Returns values of the header `Macaroons`, spread evenly over the people of the scene. */
async function manyLogins(
  installation: BenchInstallation,
  scene: Scene,
  count: number,
): Promise<readonly string[]> {
  return opened(installation, async (on) => {
    const accounts = await accountsOf(on, scene)
    const baseUrl = installation.environment['RATAFIA_BASE_URL'] ?? ''
    const location = `${baseUrl}/identity`
    const { config, keyring, clock } = on
    const deps = {
      ...{
        ...on,
        baseUrl,
        location: new URL(baseUrl).host,
        thirdParty: bundledIdentity(keyring, location, config),
      },
      identity: { location, key: config.identityCondition, bundled: true },
      lifetime: { standard: config.tokenLifetime, most: config.tokenMaxLifetime },
      snapIds: async () => [],
    }
    const keyPairs = await keyring.dischargerKeyPairs()
    const made: string[] = []
    for (let at = 0; at < count; at++) {
      const account = accounts[at % accounts.length]
      if (!account) throw new TypeError('the scene has people')
      const { macaroon } = await createToken({}, deps as never)
      const conditions = [
        formatDeclared('userid', account.id),
        formatLoginMark(account, clock()),
        formatTimeBefore(new Date(Date.now() + DAY_MS)),
      ]
      const answer = ({ id, caveat }: { id: Uint8Array; caveat: Uint8Array | undefined }) =>
        discharge({ id, caveat, keyPairs, check: async () => conditions })
      made.push(formatMacaroonsHeader(await dischargeAll(decodeBakeryMacaroon(JSON.parse(macaroon)), answer)))
    }
    return made
  })
}
