/** The messages that PostgreSQL carries between nodes. */
export interface Notifications {
  /**
   * Sends a heartbeat with a notification through the host that statements go to, on a connection that no request waits
   * for. The notification is sent only once the host has shown that it is still the primary. Throws the driver's error.
   */
  send(channel: string, payload: string): Promise<void>
  /**
   * Calls back, a single subscriber, with the payload of each change this process makes, before the code that made it
   * continues. Some of these changes may have been rolled back.
   */
  onOwnChange(onChange: (payload: string) => void): void
}
