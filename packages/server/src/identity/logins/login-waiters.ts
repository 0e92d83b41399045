/**
 * Clients that wait for a person to complete their login. A login completed on this node ends its wait at once; one
 * query a second, for all waiting clients, finds those completed on other nodes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Networks } from '../../addresses/address.ts'
import { Crowd } from '../../limits/crowd.ts'
import type { CompletedLogin, CompletedLoginStore } from './completed-login-store.ts'

const POLL_MS = 1_000
/** Logins per query. */
const BATCH = 500

/** How a wait ends without a completed login. */
export type WaitEnd = 'timeout' | 'left' | 'closing' | 'full'

export interface LoginWaitersOptions {
  readonly completedLogins: CompletedLoginStore
  /** How many clients may wait at a time on this node. */
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
   * Resolves when the login is completed; with `timeout` after `milliseconds`, `left` when `signal` aborts, `closing`
   * when the service stops. With `full` at once if there is no place, or later if its place is needed: anyone may
   * wait, so a network of any width gives up places to one that has fewer. Rejects when the first look into the
   * database fails.
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
    // Listen first, then look, so as not to miss a login completed in between.
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

  /** Ends every wait with `closing`, and any later one. */
  close(): void {
    this.#closing.abort()
    for (const waiter of this.#waiting) waiter.end('closing')
  }

  /** Ends the longest wait of the network with the most places, unless `from` would then have more than it. */
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

  /** Runs while any client waits. */
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
  /** The client's. */
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
