/**
 * The shard of a device: the column `bucket` of the tables with rows for each device, the same in all of them, so that
 * what belongs to one device can be kept in one place. See docs/decisions/0044-a-bucket-in-every-key.md.
 */

/** The first ten bits of the SHA3-384 of the device key, from 0 to 1023. Takes the key's id as assertions write it. */
export const bucketOf = (deviceKeyId: string): number =>
  Buffer.from(deviceKeyId.slice(0, 4), 'base64url').readUInt16BE() >> 6

/** The bucket of all of these; undefined if they are in several. */
export function oneBucket(buckets: readonly number[]): number | undefined {
  const [first, ...others] = new Set(buckets)
  return others.length === 0 ? first : undefined
}
