/** Reads new keys as soon as the node hears of them, so that it knows them before anybody presents what they made. */
import type { ChangeFeed } from '../../database/index.ts'
import type { Keyring } from '../../keyring/keyring.ts'
import type { Log } from '../../telemetry/log.ts'

/** One read at a time; what is heard during one is read by the next. */
export function followKeys(feed: Pick<ChangeFeed, 'subscribe'>, keyring: Keyring, log: Log): void {
  let reading = false
  let heard = false
  const read = async () => {
    heard = true
    if (reading) return
    reading = true
    while (heard) {
      heard = false
      await keyring.refresh().catch((err) => log.debug({ err }, 'new keys are read later'))
    }
    reading = false
  }
  feed.subscribe((change) => {
    // Without a change, anything may have changed.
    if (!change || change.kind === 'root-key' || change.kind === 'key-pair') void read()
  })
}
