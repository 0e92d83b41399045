/** `ratafia brands create --demo`: creates a brand to try things with, and its files. */
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DemoBrand, DemoFile } from '../../brands/demo-brand.ts'
import { serviceAddress } from '../../config/config.ts'
import { writeDraft } from '../../files/draft.ts'
import { systemReason } from '../../text/system-reason.ts'
import { type CommandContext, type CommonOptions, FileError } from '../context.ts'
import { print } from '../output.ts'

export interface DemoOptions extends CommonOptions {
  /** The prefix for the names of the accounts and the model. */
  readonly name: string
  /** A new directory. Default: `demo-brand` in the data directory. */
  readonly output?: string
  /** The address in the store assertion. Default: the service's own. */
  readonly url?: string
}

export async function createDemo(options: DemoOptions, context: CommandContext): Promise<void> {
  const { createDemoBrand } = await import('../../brands/demo-brand.ts')
  const { demo, url, output, hasOperator } = await context.beginInstallation(async (installation) => {
    const { config } = installation
    const directory = options.output ?? join(config.dataDirectory, 'demo-brand')
    await makeDirectory(directory)
    try {
      const address = options.url ?? serviceAddress(config)
      const { authority } = installation
      const keep = (files: readonly DemoFile[]) => writeFiles(files, directory)
      const made = await createDemoBrand({ name: options.name, url: address, keep, authority }, installation)
      const operators = await installation.grants.list({ role: 'operator' }, { limit: 1 })
      return { demo: made, url: address, output: directory, hasOperator: operators.length > 0 }
    } catch (error) {
      await rm(directory, { recursive: true, force: true })
      throw error
    }
  })
  const { rootId, model, storeId } = demo
  const row = { root: rootId, brand: model.brandId, model: model.model, store: storeId, directory: output }
  const first = hasOperator ? [] : FIRST_OPERATOR
  print(context, options, row, [...guide(demo, output, url), ...first].join('\n'))
}

/** Creates a directory that only its owner can read. It comes first, because the new keys must have somewhere to go. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST'
    const why = exists ? 'already exists' : `cannot be created: ${systemReason(error)}`
    throw new FileError(`${path} ${why}. Pass a new directory with --output. Nothing was changed.`)
  }
}

/** Writes the files of a brand into an existing directory. Throws {@link FileError}. */
export async function writeFiles(files: readonly DemoFile[], directory: string): Promise<void> {
  for (const { name, text, secret } of files) {
    const path = join(directory, name)
    await writeDraft(path, text, { secret, existing: 'keep' }).catch((error: unknown) => {
      throw new FileError(`${path} cannot be written: ${systemReason(error)}. Nothing was changed.`)
    })
  }
}

const FIRST_OPERATOR = [
  'To administer the service, create the first operator:',
  '  ratafia accounts add NAME --email ADDRESS --name TEXT --role operator',
]

function guide(
  { rootId, model, storeId, files }: DemoBrand,
  directory: string,
  url: string,
): readonly string[] {
  return [
    `Created the brand ${model.brandId} and its model ${model.model}, signed by ${rootId}.`,
    `In ${directory}:`,
    ...files.map(({ name, secret }) => `  ${name}${secret ? '  (private key)' : ''}`),
    'To register a device, and open and refresh a session, run this while the service runs:',
    `  ratafia demo device --brand ${directory} ${url}`,
    'Production snapd trusts only Canonical. A test snapd, or a program that links snapd, must',
    `  - trust account-${rootId} and account-key-${rootId},`,
    `  - use model-${model.model} as its model,`,
    `  - acknowledge account-${model.brandId}, account-key-${model.brandId} and store-${storeId} (\`snap ack\`), and`,
    `  - use this service: \`snap set core proxy.store=${storeId}\`, or device-service.url in its gadget.`,
    'docs/devices.md explains three methods to point snapd at a service, and has a program with snapd that does all this.',
  ]
}
