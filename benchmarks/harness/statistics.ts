/** Medians and percentiles of figures. */

/** Of an even number, the mean of the two in the middle. Throws a TypeError without any. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  if (low === undefined || high === undefined) throw new TypeError('there is no median of nothing')
  return (low + high) / 2
}

/** The smallest figure that at least this share of all does not exceed. Throws a TypeError without any. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
  if (found === undefined) throw new TypeError('there is no percentile of nothing')
  return found
}
