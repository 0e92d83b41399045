/** The words of the pages that import devices. */
import { counted, number } from '../common.ts'

export const deviceImport = {
  title: 'Device import',
  what: 'Import devices that have their serials already, or those of another register. The whole file is imported, or nothing. You see a preview first.',
  file: 'File',
  fileHint: 'CSV, JSON lines or a JSON list, up to 4 MB.',
  rows: 'Or paste rows',
  rowsHint: 'Include the header line.',
  format: 'Format',
  formats: { '': 'Detect automatically', csv: 'CSV', ndjson: 'JSON lines', json: 'JSON list' },
  unknownModels: 'Include devices of models that are not registered',
  look: 'Preview',
  nothing: 'Choose a file, or paste rows.',
  notBoth: 'You chose a file and also pasted rows. Send only one of them.',
  columns: 'Columns',
  columnsWhat: 'Required:',
  columnsMore: 'An export has all columns, and can be imported unchanged.',
  larger: 'For a larger file, use the command, which sends it in parts:',

  stepTitle: 'Import preview',
  looking: 'The file is being checked. This page reloads by itself.',
  wouldAdd: (added: number): string => `${counted(added, 'device', 'devices')} would be added.`,
  wouldLeave: (left: number): string =>
    `${counted(left, 'device is', 'devices are')} here already, and ${left === 1 ? 'stays' : 'stay'} unchanged.`,
  wouldImport: (devices: number): string =>
    `The file has ${counted(devices, 'device', 'devices')}. Nothing is imported yet.`,
  import: (devices: number): string => `Import ${counted(devices, 'device', 'devices')}`,
  discard: 'Discard file',
  another: 'Choose another file',
  discarded: 'File discarded. Nothing was imported.',
  started: 'Import started.',
  faults: (count: number): string =>
    count >= 100
      ? `The first ${number(count)} problems in the file`
      : counted(count, 'problem in the file', 'problems in the file'),
  faultsWhat: 'Fix them first. Until then, nothing can be imported.',
  notLooked: 'The file could not be checked.',
  notLookedTitle: 'File not checked',
  gone: 'This import is not pending any more.',
  toJob: 'Show its job',
  notAnImport: 'This is not a pending import of devices.',
} as const
