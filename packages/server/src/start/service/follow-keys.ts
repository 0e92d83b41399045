/**
 * Reads new keys as soon as the node is notified of them, so that it knows them before anybody presents what they made.
 */
import type { CacheFreshness } from '../../database/index.ts'
import type { Keyring } from '../../keyring/keyring.ts'
import type { Log } from '../../telemetry/log.ts'

/** One read at a time; a notification during one leads to the next. */
export function followKeys(freshness: Pick<CacheFreshness, 'subscribe'>, keyring: Keyring, log: Log): void {
  let reading = false
  let notified = false
  const read = async () => {
    notified = true
    if (reading) return
    reading = true
    while (notified) {
      notified = false
      await keyring.refresh().catch((err) => log.debug({ err }, 'new keys are read later'))
    }
    reading = false
  }
  freshness.subscribe((change) => {
    // Without a change, anything may have changed.
    if (!change || change.kind === 'root-key' || change.kind === 'key-pair') void read()
  })
}
