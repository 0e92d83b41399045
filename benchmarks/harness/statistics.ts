/** Computes medians and percentiles. */

/** Returns the median; of an even number of figures, the mean of the middle two. Throws a TypeError without figures. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  if (low === undefined || high === undefined) throw new TypeError('there is no median of nothing')
  return (low + high) / 2
}

/** Returns the smallest figure that at least this share of figures does not exceed. Throws `TypeError` for none. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
  if (found === undefined) throw new TypeError('there is no percentile of nothing')
  return found
}
