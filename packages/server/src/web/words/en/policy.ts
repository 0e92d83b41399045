/** Words of the policy of a model: its settings, what each means, and what is dangerous. */

interface Setting {
  readonly label: string
  /** What it decides. */
  readonly what: string
  /** By value: what it is called, and what it does. */
  readonly choices: Readonly<Record<string, readonly [name: string, meaning: string]>>
}

export const policy = {
  title: 'Change the policy',
  what: 'It applies from the next registration on. Devices that have a serial keep it.',
  settings: {
    registration: {
      label: 'Who may register',
      what: 'Which devices get a serial.',
      choices: {
        auto: ['everybody', 'whoever has the model assertion, and an API key if the model has one'],
        'allow-list': ['allow-list', 'devices whose serial number or key is on the list'],
        approval: ['approval', 'each device waits until somebody approves it'],
      },
    },
    proposed_serial: {
      label: 'Proposed serial number',
      what: 'Whether a device says which serial number it wants.',
      choices: {
        required: ['required', 'a device that proposes none is refused'],
        optional: ['optional', 'it gets the one it proposes, or else one that is made here'],
        ignored: ['ignored', 'serial numbers are always made here'],
      },
    },
    taken_serial: {
      label: 'Taken serial number',
      what: 'When a new device key asks for the serial number of another device.',
      choices: {
        refuse: ['refuse', 'the new key is refused, and the first device keeps its serial'],
        reissue: ['reissue', 'the new key gets it, and the first device is superseded'],
      },
    },
    hardware_identity: {
      label: 'Hardware identity',
      what: 'Whether a device proves that it has the key that is built into its board.',
      choices: {
        required: ['required', 'only boards whose hardware identity is imported'],
        ignored: ['ignored', 'no proof is asked for'],
      },
    },
    clones: {
      label: 'When a clone is seen',
      what: 'Two that use the same device key.',
      choices: {
        quarantine: ['quarantine', 'the device gets no session until somebody decides'],
        record: ['record', 'it is written down, and the device goes on'],
      },
    },
  } as const satisfies Readonly<Record<string, Setting>>,
  serials: 'Serial numbers made here',
  serialsHint:
    'uuid, or a template with one {number}: AC-{number:8} makes AC-00000001, AC-00000002 and so on.',
  choice: (name: string, meaning: string): string => `${name}: ${meaning}`,
  now: (value: string): string => `Now: ${value}.`,
  save: 'Save the policy',
  chooseRegistration: 'Choose who may register.',
  readFirst:
    'Read what is dangerous about this policy. Tick it if you want it anyway, or choose another setting.',
  accept: 'This policy is dangerous',
  acceptHint: 'Tick what you have read and want anyway.',
  saved: 'The policy is saved. It applies from the next registration on.',
  unchanged: 'Nothing was different, so nothing was changed.',
} as const
