// Sentences that the check of words has to find: the name of the pattern, and one sentence for each place.

export const PLANTED: readonly (readonly [name: string, sentence: string])[] = [
  ['begins-with-of', 'Of a root: when its discharge expires.'],
  ['begins-with-what', 'What an operator chose for this brand.'],
  ['whoever', 'The link works for whoever opens it first.'],
  ['that-is-none', 'The parser refuses a key that is none.'],
  ['is-no', 'A name with a slash is no name of a brand.'],
  ['for-good', 'This removes the device for good.'],
  ['anew', 'The job reads the file anew.'],
  ['all-the-same', 'The request is answered all the same.'],
  ['so-many', 'The list has so many rows per page.'],
  ['the-one-before', 'The cursor points to the one before.'],
  ['than-that', 'It lives for an hour and no longer than that.'],
  ['goes-on', 'The import goes on after a restart.'],
  ['too', 'The audit log has the refusals, too.'],
  ['says-what', 'The answer says which package is unknown.'],
  ['beside', 'The old key stays valid beside the new one.'],
  ['as-it-is', 'The file is sent as it is.'],
  ['stands', 'The name stands in the first column.'],
  ['ends', 'The job fails because its token ended early.'],
  ['end-of', 'The page shows the end of the token.'],
  ['makes', 'The command makes a token for one package.'],
  ['colon-that', 'Devices: that a search finds any part of a serial'],
  ['house-metaphor', 'A node counts questions of the store apart.'],
]

/** Sentences that only look like those above. */
export const FINE: readonly string[] = [
  'The session is no longer valid, and there is no other.',
  'What does a device do next? It asks for a nonce.',
  'Returns the part of the list that comes before the cursor.',
  'The command `goes on` is quoted, and so is `a token that is none`.',
  'A backup ends with its seal.',
  'The service makes sure that every rule has an owner.',
]
