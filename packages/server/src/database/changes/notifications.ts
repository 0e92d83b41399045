/** The messages that PostgreSQL carries between nodes. */
export interface Notifications {
  /**
   * Sends a heartbeat with a notification to the host that runs our statements, on a connection that no request waits
   * for. The notification is sent only once the host has shown that it is still the primary. Throws the driver's error.
   */
  send(channel: string, payload: string): Promise<void>
  /**
   * Calls the only subscriber with the payload of each change that this process makes, before the code that
   * made it continues. Some of these changes may have been rolled back.
   */
  onOwnChange(onChange: (payload: string) => void): void
}
