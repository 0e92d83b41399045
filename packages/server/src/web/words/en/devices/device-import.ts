/** Words of the pages for the import of devices. */
import { counted, number } from '../common.ts'

export const deviceImport = {
  title: 'Import devices',
  what: 'A file of devices that have their serials already, or of another register. All of it is imported, or nothing. You first see what it would do.',
  file: 'File',
  fileHint: 'CSV, JSON lines or a JSON list, of up to 4 MB.',
  rows: 'Or its rows',
  rowsHint: 'Paste them, with the header line.',
  format: 'Format',
  formats: { '': 'by how it begins', csv: 'CSV', ndjson: 'JSON lines', json: 'JSON list' },
  unknownModels: 'Also devices of models that are not here',
  look: 'Look at it first',
  nothing: 'Choose a file, or paste rows.',
  notBoth: 'You chose a file and pasted rows, too. Send only one of them.',
  columns: 'Columns',
  columnsWhat: 'Needed:',
  columnsMore: 'An export has all columns, and can be imported as it is.',
  larger: 'A larger file goes with the command, in parts:',

  stepTitle: 'Import devices: what it would do',
  looking: 'The file is being checked. This page reloads by itself.',
  wouldAdd: (added: number): string => `${counted(added, 'device', 'devices')} would be added.`,
  wouldLeave: (left: number): string =>
    `${counted(left, 'device is', 'devices are')} here already, and ${left === 1 ? 'stays' : 'stay'} as ${left === 1 ? 'it is' : 'they are'}.`,
  wouldDo: (devices: number): string =>
    `The file has ${counted(devices, 'device', 'devices')}. Nothing is done yet.`,
  import: (devices: number): string => `Import ${counted(devices, 'device', 'devices')}`,
  discard: 'Discard it',
  another: 'Choose another file',
  discarded: 'The file is discarded. Nothing was imported.',
  started: 'The import has begun.',
  faults: (count: number): string =>
    count >= 100
      ? `The first ${number(count)} faults of the file`
      : counted(count, 'fault in the file', 'faults in the file'),
  faultsWhat: 'Nothing can be imported before they are mended.',
  notLooked: 'The file could not be checked.',
  gone: 'This import is no longer waiting.',
  toJob: 'Look at its job',
  notAnImport: 'This is not an import of devices that is waiting.',
} as const
