/** `ratafia demo`: tries everything in a service that leaves nothing behind. */
import type { Command } from 'commander'
import { STANDARD_ADDRESS } from '../../config/variables/commands.ts'
import type { CommandContext, DemoOptions } from '../context.ts'
import { goes } from '../service/ways.ts'
import type { DeviceOptions } from './device.ts'

/** Not 8080 or 8081, which another service on this machine may use. */
export const DEMO_PORT = 8090

export function demoCommands(program: Command, context: CommandContext): void {
  const demo = goes(program.command('demo'), 'none')
    .description(
      'try the service: starts one with an account, a brand and devices in a temporary directory, and removes it at the end',
    )
    .option(
      '--port <port>',
      `port on 127.0.0.1; 0 picks a free one (default: ${DEMO_PORT}, or the next free one)`,
    )
    .action((options: DemoOptions) => context.runDemo(options))

  goes(demo.command('device'), 'none')
    .description(
      'register a device, open a session, show it and refresh it; in a second run, the device is already registered',
    )
    .argument('[url]', `address of the service (default: ${STANDARD_ADDRESS})`)
    .requiredOption(
      '--brand <directory>',
      'the directory of `ratafia brands create`, with the model assertion',
    )
    .option('--model <file>', 'the model assertion (default: model-… in the directory)')
    .option(
      '--state <directory>',
      "the directory for the device's key and serial (default: device in the directory)",
    )
    .option('--api-key-stdin', 'read the API key from standard input, for a model with API keys')
    .option('--proposed-serial <serial>', 'the serial number that the device proposes')
    .option('--body <file>', "a YAML file for the body of the device's serial assertion")
    .option('--no-session', 'only register')
    .action(async (url: string | undefined, options: DeviceOptions) => {
      const { demoDevice } = await import('./device.ts')
      await demoDevice(url, options, context)
    })
}
