/** The words of the pages that import devices, and of the clone page. */
import { counted, number } from './common.ts'

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

export const clones = {
  title: 'Clones',
  label: 'Evidence of clones',
  what: 'This page lists evidence that a second device uses a device key or a serial. The newest evidence comes first.',
  kinds: {
    'second-chain': 'second chain of sessions',
    'forked-chain': 'forked chain',
    'two-chains': 'two active chains',
    'second-key': 'second key',
  },
  meanings: {
    'second-chain':
      'The device opened a session while it had one. A device that lost its state also does that.',
    'forked-chain': 'An old session was refreshed a second time. A power cut can cause that.',
    'two-chains': 'Two chains of sessions are in use at the same time: two devices have the key.',
    'second-key':
      'Another key requested its serial: the board was replaced, or someone is trying to take the serial.',
  },
  meaning: 'Kinds of evidence',
  filters: {
    kind: 'Kind',
    anyKind: 'all kinds',
    brand: 'Brand',
    model: 'Model (BRAND/MODEL)',
    since: 'Seen since (midnight UTC)',
  },
  columns: {
    device: 'Device',
    model: 'Model',
    status: 'Status',
    kind: 'Kind',
    other: 'Chain or key',
    times: 'Times',
    last: 'Last seen',
  },
  empty: 'No evidence of clones yet.',
  emptyWhat:
    'Evidence is recorded when two devices use one key or request one serial. The policy of the model decides whether such a device is quarantined.',
  emptyStep: 'Show devices',
  emptyCommand: 'Or on the command line:',
} as const
