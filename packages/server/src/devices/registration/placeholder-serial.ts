/** What firmware says whose maker never programmed a serial number. Many units share it, so it names none of them. */

/** In lower case, without what separates words: from SMBIOS tables and scripts that print an absent value. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  ...['none', 'null', 'nil', 'nan', 'undefined', 'unknown', 'empty', 'invalid', 'default', 'defaultstring'],
  ...[
    'na',
    'notapplicable',
    'notavailable',
    'notspecified',
    'notset',
    'notprovided',
    'unspecified',
    'noserial',
  ],
  ...['tobefilledbyoem', 'tobefilled', 'filledbyoem', 'oem', 'tbd', 'todo', 'placeholder', 'noserialnumber'],
  ...['serial', 'serialnumber', 'systemserialnumber', 'chassisserialnumber', 'baseboardserialnumber'],
  ...['boardserialnumber', 'systemserial', 'serialno', 'serialnum', 'productserial', 'productserialnumber'],
  ...['0123456789', '1234567890', '123456789', '0123456789abcdef', '123456789abcdef', 'abcdefghij'],
  // The UUID of boards whose BIOS has none.
  '03000200040005000006000700080009',
])

/** So many of one character are no count that a factory has reached. Of zeros, any number. */
const SAME_CHARACTER = /^(?:0x)?(?:0+|(.)\1{5,})$/u

export function isPlaceholderSerial(text: string): boolean {
  const bare = text.toLowerCase().replace(/[\s._:+/\\()<>[\]-]+/g, '')
  return bare === '' || PLACEHOLDERS.has(bare) || SAME_CHARACTER.test(bare)
}
