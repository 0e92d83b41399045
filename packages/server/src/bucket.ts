/**
 * The shard of a device. Every table with rows per device has the same value in its column `bucket`, so that
 * all rows of a device can be kept in one place. See docs/decisions/0044-a-bucket-in-every-key.md.
 */

/** Returns the first ten bits of the device key's SHA3-384, from 0 to 1023, given the key's id as in assertions. */
export const bucketOf = (deviceKeyId: string): number =>
  Buffer.from(deviceKeyId.slice(0, 4), 'base64url').readUInt16BE() >> 6

/** Returns the bucket that they all share; undefined if they are in several. */
export function oneBucket(buckets: readonly number[]): number | undefined {
  const [first, ...others] = new Set(buckets)
  return others.length === 0 ? first : undefined
}
