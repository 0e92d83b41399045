/** Compares `whoami` with other services' checks of a valid credential on the same core, per second and CPU-second. */
import { join } from 'node:path'
import { makeScene } from '../../faults/load/scene.ts'
import { manyTokens } from '../data/tokens.ts'
import { type Refusal, refusalsOf } from '../harness/refusals.ts'
import { alternate, type Contender } from '../harness/rounds.ts'
import { prepare, wrk } from '../harness/wrk.ts'
import { atLeast, type Figure, ratio } from '../report/figure.ts'
import { DATABASES, newInstallation } from '../services/installation.ts'
import { PEERS, startPeer } from '../services/peers.ts'
import { contender, startRatafia } from '../services/ratafia.ts'
import { asking, sizesOf } from './verify.ts'
import { detailsOf, named, type Work } from './work.ts'

export const peers: Work = {
  name: 'peers',
  says: 'whoami, compared with other services that check a valid credential',
  async measure(run) {
    const scene = await makeScene({ people: 10, models: 1, keys: 1 })
    const { live, used } = sizesOf(run)
    const contenders: Contender[] = []
    const refusals: Refusal[] = []
    const services = []
    for (const kind of DATABASES) {
      const installation = await newInstallation(kind, scene, run.directory)
      const tokens = await manyTokens(installation, scene, live)
      const file = join(installation.directory, 'requests')
      await prepare(file, asking(tokens.slice(0, used)))
      const service = await startRatafia(installation)
      run.after(service.stop)
      services.push(service)
      contenders.push(contender(kind, service, wrk({ port: service.port, file })))
    }
    for (const peer of PEERS) {
      run.say(`starting ${peer.name}`)
      const started = await startPeer(peer, run.directory, run.quick ? 200 : peer.tokens)
      run.after(started.stop)
      const file = join(run.directory, `${peer.name}.requests`)
      await prepare(file, started.requests)
      contenders.push({
        ...{ name: peer.name, load: wrk({ port: started.port, file }) },
        pids: () => [started.pid],
        databasePids: started.databasePids,
      })
    }
    const measured = await alternate(contenders, run.pace)
    for (const service of services) refusals.push(...(await refusalsOf(service, scene)))
    const figures = DATABASES.flatMap((database) =>
      PEERS.flatMap(({ name, checks, stores }): readonly Figure[] => {
        const [ours, other] = [named(measured, database), named(measured, name)]
        const facts = { what: `whoami compared with ${name}`, database }
        const more = { ours: detailsOf(ours), peer: detailsOf(other), checks, stores }
        return [
          ratio(
            { ...facts, measure: 'requests per second', ours: ours.median.rate, more },
            { name, value: other.median.rate },
            atLeast(1),
          ),
          ratio(
            { ...facts, measure: 'requests per CPU-second', ours: 1_000 / ours.median.cpu },
            { name, value: 1_000 / other.median.cpu },
            atLeast(1),
          ),
        ]
      }),
    )
    return { figures, refusals }
  },
}
