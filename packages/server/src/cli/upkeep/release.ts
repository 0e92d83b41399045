/** `ratafia release`: verifies the files of a release, without an installation, a database or a network. */
import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { withJson } from '../output.ts'
import { goes } from '../service/ways.ts'
import type { VerifyOptions } from './verify-files.ts'

export function releaseCommands(parent: Command, context: CommandContext): void {
  const release = parent.command('release').description('verify the files of a release')

  goes(withJson(release.command('verify')), 'none')
    .description(
      'verify the signature and the hash of every file of a release; exit code 1 if anything is wrong',
    )
    .argument('<directory>', 'the files of the release, with SHA256SUMS and SHA256SUMS.sig')
    .option('--key <file>', 'a public key (.pub) that signed it, instead of the release keys in this program')
    .option('--ignore-missing', 'accept a directory with only some files of the release')
    .option('--older', 'accept a release that is older than this program')
    .action(async (directory: string, options: VerifyOptions) => {
      const { verifyFiles } = await import('./verify-files.ts')
      await verifyFiles(directory, options, context)
    })

  goes(release.command('keys'), 'none')
    .description(
      'print the release keys in this program as allowed signers, for `ssh-keygen -Y verify -I ratafia`',
    )
    .action(async () => {
      const { printKeys } = await import('./verify-files.ts')
      printKeys(context)
    })
}
