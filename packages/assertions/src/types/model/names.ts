// Checks names of snaps and channels like snapd.

/** Whether the name has 2 to 40 lower-case letters, digits and single dashes inside, with at least one letter. */
export function isSnapName(name: string): boolean {
  return name.length >= 2 && name.length <= 40 && /^[a-z0-9](?:-?[a-z0-9])*$/.test(name) && /[a-z]/.test(name)
}

export const SNAP_NAME = 'a snap name has 2 to 40 lower-case letters, digits and single dashes'

/** Whether it has the form of a snap's id in the store. */
export function isSnapId(id: string): boolean {
  return /^[a-z0-9A-Z]{32}$/.test(id)
}

const RISKS: readonly string[] = ['stable', 'candidate', 'beta', 'edge']

export function isRisk(text: string): boolean {
  return RISKS.includes(text)
}

/** Returns what is wrong with a channel, which must have the form `TRACK[/RISK[/BRANCH]]`; undefined if it is valid. */
export function channelFault(channel: string): string | undefined {
  const [track = '', risk, branch, ...more] = channel.split('/')
  if (isRisk(track)) return more.length > 0 || branch !== undefined ? NO_CHANNEL : 'it needs a track'
  if (track === '' || more.length > 0 || branch === '') return NO_CHANNEL
  return risk === undefined || isRisk(risk) ? undefined : `its risk must be one of ${RISKS.join(', ')}`
}

const NO_CHANNEL = 'a channel is TRACK, TRACK/RISK or TRACK/RISK/BRANCH'
