/** What PostgreSQL carries between nodes besides rows. */
export interface Notifications {
  /**
   * Sends a notification by the host that statements go to, on a connection that no request waits for. Throws the
   * driver's error, and gives up after `withinMs` without an answer.
   */
  send(channel: string, payload: string, withinMs: number): Promise<void>
  /**
   * Calls back, one subscriber, with the payload of each change that this process has made, before whoever made it goes
   * on. Also for some that came to nothing.
   */
  onOwnChange(heard: (payload: string) => void): void
}
