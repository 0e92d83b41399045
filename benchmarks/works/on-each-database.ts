/** Helps works that measure one service on SQLite and then one on PostgreSQL. */
import type { Scene } from '../../faults/load/scene.ts'
import { refusalsOf } from '../harness/refusals.ts'
import type { Figure } from '../report/figure.ts'
import { DATABASES, type DatabaseKind, newInstallation } from '../services/installation.ts'
import { type Service, startRatafia } from '../services/ratafia.ts'
import type { Run, WorkResult } from './work.ts'

/** Runs `measure` for a new service on each database, and then checks its refusals. */
export async function onEachDatabase(
  run: Run,
  scene: Scene,
  measure: (service: Service, database: DatabaseKind) => Promise<readonly Figure[]>,
): Promise<WorkResult> {
  const results: WorkResult[] = []
  for (const database of DATABASES) {
    run.say(database)
    const service = await startRatafia(await newInstallation(database, scene, run.directory))
    run.after(service.stop)
    results.push({
      figures: await measure(service, database),
      refusals: await refusalsOf(service, scene),
    })
    await service.stop()
  }
  return {
    figures: results.flatMap(({ figures }) => figures),
    refusals: results.flatMap(({ refusals }) => refusals),
  }
}
