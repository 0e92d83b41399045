/** Words of the page of clones. */

export const clones = {
  title: 'Clones',
  label: 'Evidence of clones',
  what: 'Signs that a second device holds a device key or a serial. The newest evidence comes first.',
  kinds: {
    'second-chain': 'a second chain of sessions',
    'forked-chain': 'a chain that forked',
    'two-chains': 'two chains alive',
    'second-key': 'a second key',
  },
  meanings: {
    'second-chain': 'It opened a session while it had one. A device that lost its state does that too.',
    'forked-chain': 'An old session was refreshed a second time. A power cut can cause that.',
    'two-chains': 'Two chains of sessions are in use at the same time: two devices have the key.',
    'second-key': 'Another key asked for its serial: a replaced board, or somebody who tries to take it.',
  },
  meaning: 'What the kinds mean',
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
    kind: 'What',
    other: 'Chain or key',
    times: 'Times',
    last: 'Last seen',
  },
  empty: 'There is no evidence of clones.',
  emptyWhat:
    'It is recorded when two devices use one key or ask for one serial. The policy of the model decides whether such a device goes into quarantine.',
  emptyStep: 'Look at the devices',
  emptyCommand: 'Or on the command line:',
} as const
