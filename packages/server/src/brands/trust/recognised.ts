/**
 * Recognises assertions that were already verified: every device of a model sends the same model, and a device sends
 * its serial with each session. Whether they are still trusted is checked each time. A recognised assertion is the same
 * object, which `trustContext` knows to be checked until an operator changes something, and whose keys are imported.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

export interface Recognised<T> {
  /** `text` is the complete text that was sent. */
  find(text: string | Uint8Array): T | undefined
  /** Only for verified assertions: strangers must not crowd out devices. */
  keep(text: string | Uint8Array, value: T): void
}

const MOST_BYTES = 16 * 1024 * 1024
/** A decoded assertion has two copies of the text, and its keys: 6 KB in OpenSSL for one of 4096 bits. */
const bytesOf = (text: string | Uint8Array): number => 2 * text.length + 6_000

export function recognised<T extends object>(): Recognised<T> {
  const known = new LRUCache<string, T>({ maxSize: MOST_BYTES })
  const digest = (text: string | Uint8Array) => hash('sha256', text, 'base64')
  return {
    find: (text) => known.get(digest(text)),
    keep: (text, value) => {
      known.set(digest(text), value, { size: bytesOf(text) })
    },
  }
}
