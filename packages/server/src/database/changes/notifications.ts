/** The messages that PostgreSQL carries between nodes. */
export interface Notifications {
  /**
   * Sends a notification through the host that statements go to, on a connection that no request waits for. Throws the
   * driver's error, and gives up after `withinMs` without an answer.
   */
  send(channel: string, payload: string, withinMs: number): Promise<void>
  /**
   * Calls back, a single subscriber, with the payload of each change this process makes, before the code that made it
   * continues. Some of these changes may have been rolled back.
   */
  onOwnChange(heard: (payload: string) => void): void
}
