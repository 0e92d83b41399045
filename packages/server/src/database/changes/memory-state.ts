/** How much is remembered, and how often that helped, for those who watch the service. */
export interface MemoryState {
  readonly size: number
  readonly hits: number
  readonly misses: number
  /** Look-ups while nothing that is remembered could be trusted. */
  readonly bypassed: number
}
