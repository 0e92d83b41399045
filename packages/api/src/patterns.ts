/** Patterns for strings in requests, each with the end of the message that refuses other strings. */

interface Pattern {
  readonly pattern: string
  /** The words that follow the name of the field. */
  readonly otherwise: string
}

const pattern = (pattern: string, otherwise: string): Pattern => ({ pattern, otherwise })

export const PRINTABLE = pattern(
  '^[ -~]{1,128}$',
  'is empty, longer than 128 characters, or has characters other than printable ASCII',
)

export const FORMAT_NUMBER = pattern('^(0|[1-9][0-9]{0,8})$', 'must be a whole number, such as 1')

// Input that people type into the filters of a list.

export const INSTANT = pattern(
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?([Zz]|[+-][0-9]{2}:?[0-9]{2}))?$',
  'is neither a date, such as 2026-12-24, nor a time with a zone, such as 2026-12-24T00:00:00Z',
)

export const BRAND_ID = pattern(
  '^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$',
  'is not the account id of a brand: letters, digits, and single dashes between them',
)

export const BRAND_AND_MODEL = pattern(
  '^[A-Za-z0-9-]{1,64}/[A-Za-z0-9-]{1,64}$',
  'is not of the form BRAND/MODEL',
)

export const NAME_OR_ID = pattern(
  '^[!-~]{1,64}$',
  'is not a name or an id: 1 to 64 characters of printable ASCII, without spaces',
)

export const BEGINNING_OF_USERNAME = pattern(
  '^[a-z0-9-]{1,28}$',
  'cannot begin a username, which has up to 28 of a-z, 0-9 and dashes',
)

export const SERIAL_KEY_OR_ID = pattern(
  '^[!-~]{1,128}$',
  'is not a serial, a key or an id: up to 128 characters of printable ASCII, without spaces',
)

export const ADDRESS_OR_BLOCK = pattern(
  '^[0-9A-Fa-f.:]{2,45}(/[0-9]{1,3})?$',
  'is not an IP address, or a block such as 198.51.100.0/24',
)

export const AUDIT_ACTION = pattern(
  '^[a-z-]{1,40}[.][a-z-]{1,40}$',
  'is not an action, such as device.approve',
)

export const UUID_TEXT = pattern('^[0-9a-f-]{36}$', 'is not an id: 36 characters of 0-9, a-f and dashes')

export const CURSOR = pattern(
  '^[A-Za-z0-9_-]{1,512}$',
  'is not a cursor. Send the "next" of the previous page unchanged',
)

export const NAMED_MODEL = pattern(
  '^[A-Za-z0-9-]{1,64}/[A-Za-z0-9-]{1,128}$',
  'is not the name of a model: BRAND/MODEL',
)

export const DEVICE_KEY_ID = pattern(
  '^[A-Za-z0-9_-]{64}$',
  'is not the id of a device key: 64 letters, digits, dashes and underscores',
)

export const PART_OF_KEY_ID = pattern(
  '^[A-Za-z0-9_-]{1,64}$',
  'is not the id of a device key or its beginning: up to 64 letters, digits, dashes and underscores',
)

export const ALLOWED_SERIAL = pattern(
  '^[^/\\u0000]{1,128}$',
  'is not a serial: 1 to 128 characters without a slash',
)

export const STORABLE = pattern(
  '^[^\\u0000\\ud800-\\udfff]+$',
  'contains the character U+0000 or half of a surrogate pair',
)

export const PATTERNS: readonly Pattern[] = [
  ...[PRINTABLE, FORMAT_NUMBER, INSTANT, BRAND_ID, BRAND_AND_MODEL, NAME_OR_ID, BEGINNING_OF_USERNAME],
  ...[SERIAL_KEY_OR_ID, ADDRESS_OR_BLOCK, AUDIT_ACTION, UUID_TEXT, CURSOR, NAMED_MODEL, DEVICE_KEY_ID],
  ...[PART_OF_KEY_ID, ALLOWED_SERIAL, STORABLE],
]
