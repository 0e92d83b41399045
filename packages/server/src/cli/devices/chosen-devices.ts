/** Which devices a command is about: named one by one, listed in a file, or all of a kind. */
import { BlockList, isIP } from 'node:net'
import { type ModelName, parseModelName, showModelName } from '../../brands/models/model-policy.ts'
import type { Chosen, ManyDecision } from '../../devices/many/decide-many.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { readNamed, readStandardInput } from '../files.ts'
import type { Installation } from '../installation.ts'
import { counted } from '../output.ts'

export interface ChoiceOptions {
  readonly file?: string
  readonly model?: string
  readonly all?: boolean
  readonly from?: string
}

export type Choice =
  | { readonly kind: 'arguments' | 'file'; readonly names: readonly string[] }
  | {
      readonly kind: 'filter'
      readonly model: ModelName | undefined
      /** An address or a network. */
      readonly from: string | undefined
      readonly isFrom: ((address: string) => boolean) | undefined
    }

/** Throws {@link UsageError} unless exactly one way is used. */
export async function choiceOf(
  words: readonly string[],
  { file, model, all, from }: ChoiceOptions,
  { streams }: CommandContext,
): Promise<Choice> {
  const ways = [words.length > 0, file !== undefined, model !== undefined || all === true]
  if (ways.filter(Boolean).length !== 1) {
    throw new UsageError('Name devices, or give --file, --model or --all: one of these ways.')
  }
  if (words.length > 0 || file !== undefined) {
    if (from !== undefined) throw new UsageError('--from goes with --model or --all.')
    const isInput = file === '-' || (words.length === 1 && words[0] === '-')
    if (words.length > 0 && !isInput) return { kind: 'arguments', names: words }
    const { name, text } = isInput
      ? { name: 'Standard input', text: (await readStandardInput(streams)).toString('utf8') }
      : { name: file ?? '', text: (await readNamed(file ?? '')).bytes.toString('utf8') }
    const names = await namesIn(name, text)
    if (names.length === 0) throw new UsageError(`${name} names no device.`)
    return { kind: 'file', names }
  }
  const name = model === undefined ? undefined : parseModelName(model)
  return { kind: 'filter', model: name, from, isFrom: from === undefined ? undefined : networkOf(from) }
}

/** As `decideMany` takes it. */
export function chosen(choice: Choice, { registrations }: Pick<Installation, 'registrations'>): Chosen {
  if (choice.kind !== 'filter') return choice
  const { isFrom } = choice
  const filter = { brandId: choice.model?.brandId, model: choice.model?.model }
  if (!isFrom) return { filter }
  return {
    filter,
    pick: async (devices) => {
      const addresses = await registrations.addressesOf(devices.map(({ id }) => id))
      return devices.filter(({ id }) => isFrom(addresses.get(id) ?? ''))
    },
  }
}

/** How many they are, at most. */
export async function countChosen(
  choice: Choice,
  { about }: Pick<ManyDecision, 'about'>,
  { deviceTransfers }: Pick<Installation, 'deviceTransfers'>,
): Promise<number> {
  if (choice.kind !== 'filter') return choice.names.length
  const { model } = choice
  return deviceTransfers.count({ brandId: model?.brandId, model: model?.model, status: about })
}

/** For a question. */
export async function describeChoice(
  choice: Choice,
  { about }: Pick<ManyDecision, 'about'>,
  installation: Pick<Installation, 'deviceTransfers'>,
): Promise<string> {
  const count = await countChosen(choice, { about }, installation)
  if (choice.kind !== 'filter') return counted(count, 'device')
  const { model, from } = choice
  const all = `${counted(count, `${about} device`)} of ${model ? showModelName(model) : 'all models'}`
  return from === undefined ? all : `Of ${all}, those that asked from ${from}`
}

/** One a line; `#` begins a comment. A `.csv` or `.json` has them in its column `id`. */
async function namesIn(name: string, text: string): Promise<readonly string[]> {
  const format = /\.(csv|json)$/i.exec(name)?.[1]?.toLowerCase()
  if (format === 'csv' || format === 'json') {
    const { readImportRows } = await import('../../files/import-rows.ts')
    return readImportRows(text, { format, columns: ['id'], need: 'all' }).map(({ fields, place }) => {
      const { id } = fields
      if (typeof id === 'string' && id !== '') return id
      throw new UsageError(`${name}, ${place}: "id" is not the id of a device.`)
    })
  }
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** Whether an address is this one, or in this network. Throws {@link UsageError}. */
function networkOf(text: string): (address: string) => boolean {
  const [address = '', bits, more] = text.split('/')
  const version = isIP(address)
  const length = bits === undefined ? (version === 4 ? 32 : 128) : Number(bits)
  const isLength = bits === undefined || (/^\d{1,3}$/.test(bits) && length <= (version === 4 ? 32 : 128))
  if (version === 0 || more !== undefined || !isLength) {
    throw new UsageError(`--from ${text} is neither an address nor a network such as 203.0.113.0/24.`)
  }
  const list = new BlockList()
  list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6')
  return (one) => isIP(one) === version && list.check(one, version === 4 ? 'ipv4' : 'ipv6')
}
