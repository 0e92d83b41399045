/** Sends a heartbeat of this process every 30 seconds, so that `ratafia status` can count the nodes. */
import { randomUUID } from 'node:crypto'
import type { ProcessStore, RunningProcess } from './process-store.ts'

interface PresenceDeps {
  readonly processes: ProcessStore
  readonly process: RunningProcess
  readonly onError: (error: unknown) => void
  readonly everyMs?: number
}

const EVERY_MS = 30_000

/** `stop` never throws. */
export function announcePresence({ processes, process, onError, everyMs = EVERY_MS }: PresenceDeps): {
  stop(): Promise<void>
} {
  const id = randomUUID()
  let beating: Promise<void> | undefined
  const heartbeat = () => {
    beating ??= processes
      .heartbeat(id, process)
      .catch(onError)
      .finally(() => {
        beating = undefined
      })
    return beating
  }
  void heartbeat()
  const timer = setInterval(heartbeat, everyMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      await beating
      await processes.leave(id).catch(onError)
    },
  }
}
