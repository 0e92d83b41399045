/**
 * Profiles the service, which loads this module before its program (`--import`). SIGUSR2 begins a CPU profile, and the
 * next SIGUSR2 writes it to the file that BENCH_PROFILE names. So a profile shows the steady state without the start.
 */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

const file = process.env['BENCH_PROFILE']
const SAMPLE_US = 250
let session: Session | undefined

process.on('SIGUSR2', async () => {
  if (file === undefined) return
  if (session) {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    session = undefined
    writeFileSync(file, JSON.stringify(profile))
    return
  }
  session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US })
  await session.post('Profiler.start')
})
