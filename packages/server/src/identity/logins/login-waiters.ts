/**
 * The clients that wait for a user to complete their login. A login that is completed on this node ends its wait at
 * once. One query per second, for all waiting clients, finds logins that were completed on other nodes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Networks } from '../../addresses/address.ts'
import { Crowd } from '../../limits/crowd.ts'
import type { CompletedLogin, CompletedLoginStore } from './completed-login-store.ts'

const POLL_MS = 1_000
/** The number of logins per query. */
const BATCH = 500

/** The reason why a wait ended without a completed login. */
export type WaitEnd = 'timeout' | 'left' | 'closing' | 'full'

export interface LoginWaitersOptions {
  readonly completedLogins: CompletedLoginStore
  /** The number of clients that can wait at a time on this node. */
  readonly limit?: number
  /** Called when a query fails, so that it can be logged; the waits continue. */
  readonly onError?: (error: unknown) => void
}

export class LoginWaiters {
  readonly #store: CompletedLoginStore
  readonly #limit: number
  readonly #onError: (error: unknown) => void
  readonly #waiting = new Set<Waiter>()
  readonly #crowd = new Crowd<Waiter>()
  readonly #closing = new AbortController()
  #polling = false

  constructor({ completedLogins, limit = 2_000, onError = () => {} }: LoginWaitersOptions) {
    this.#store = completedLogins
    this.#limit = limit
    this.#onError = onError
  }

  /**
   * Resolves when the login is completed, with `timeout` after `milliseconds`, with `left` when `signal`
   * aborts, and with `closing` when the service stops. Resolves with `full` at once if there is no place, or
   * later if its place is needed: anyone can wait, so a network gives up places to one that has fewer.
   * Rejects if the first look into the database fails.
   */
  async wait(
    loginId: Uint8Array,
    { from, milliseconds, signal, onPlace }: WaitOptions,
  ): Promise<CompletedLogin | WaitEnd> {
    if (this.#closing.signal.aborted) return 'closing'
    if (this.#waiting.size >= this.#limit && !this.#makeRoom(from)) return 'full'
    const { promise, resolve } = Promise.withResolvers<CompletedLogin | WaitEnd>()
    const waiter: Waiter = { loginId, key: keyOf(loginId), from, end: resolve }
    const left = () => resolve('left')
    signal.addEventListener('abort', left, { once: true })
    if (signal.aborted) left()
    const timer = setTimeout(() => resolve('timeout'), milliseconds)
    // Listen before looking, so that no login completed in between is missed.
    this.#waiting.add(waiter)
    this.#crowd.add(from, waiter)
    onPlace?.()
    try {
      const completed = await this.#store.find(loginId)
      if (completed) return completed
      void this.#poll()
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', left)
      this.#remove(waiter)
    }
  }

  /** Ends the waits for this login on this node. */
  notify(completed: CompletedLogin): void {
    const key = keyOf(completed.loginId)
    for (const waiter of this.#waiting) if (waiter.key === key) waiter.end(completed)
  }

  /** Ends every current and later wait with `closing`. */
  close(): void {
    this.#closing.abort()
    for (const waiter of this.#waiting) waiter.end('closing')
  }

  /** Ends the longest wait of the network with the most places, unless `from` would then have more. */
  #makeRoom(from: Networks): boolean {
    const oldest = this.#crowd.replaceableBy(from)
    if (!oldest) return false
    this.#remove(oldest)
    oldest.end('full')
    return true
  }

  #remove(waiter: Waiter): void {
    this.#waiting.delete(waiter)
    this.#crowd.delete(waiter.from, waiter)
  }

  /** Polls while any client waits. */
  async #poll(): Promise<void> {
    if (this.#polling) return
    this.#polling = true
    try {
      while (this.#waiting.size > 0 && !this.#closing.signal.aborted) {
        await sleep(POLL_MS, undefined, { signal: this.#closing.signal }).catch(() => {})
        if (!this.#closing.signal.aborted) await this.#look()
      }
    } finally {
      this.#polling = false
    }
  }

  async #look(): Promise<void> {
    const ids = [...new Map([...this.#waiting].map(({ key, loginId }) => [key, loginId])).values()]
    try {
      for (let start = 0; start < ids.length; start += BATCH) {
        for (const completed of await this.#store.findAll(ids.slice(start, start + BATCH)))
          this.notify(completed)
      }
    } catch (error) {
      this.#onError(error)
    }
  }
}

export interface WaitOptions {
  /** The client's networks. */
  readonly from: Networks
  readonly milliseconds: number
  readonly signal: AbortSignal
  /** Called when the client has a place, before anything is awaited. */
  readonly onPlace?: () => void
}

interface Waiter {
  readonly loginId: Uint8Array
  readonly key: string
  readonly from: Networks
  readonly end: (result: CompletedLogin | WaitEnd) => void
}

const keyOf = (loginId: Uint8Array): string => Buffer.from(loginId).toString('base64url')
