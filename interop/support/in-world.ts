/** A suite whose tests share a running service, which starts before them and stops after them. */
import { after, before, suite } from 'node:test'
import type { Installation } from './installation.ts'
import type { Service } from './service.ts'

interface Running {
  readonly installation: Installation
  readonly service: Service
}

/** Declares the suite. `world` works only inside tests and hooks. */
export function inWorld<World extends Running>(
  title: string,
  { timeout, make }: { readonly timeout: number; readonly make: () => Promise<World> },
  declare: (world: () => World) => void,
): void {
  suite(title, { timeout }, () => {
    let world: World | undefined
    before(async () => {
      world = await make()
    })
    after(async () => {
      await world?.service.stop()
      await world?.installation.remove()
    })
    declare(() => {
      if (!world) throw new TypeError('The service is not started yet.')
      return world
    })
  })
}

/** Starts the service on a new installation and fills it. If that fails, stops the one and removes the other. */
export async function startWorld<World>(
  installation: Installation,
  start: () => Promise<Service>,
  fill: (service: Service) => Promise<World>,
): Promise<World> {
  let service: Service | undefined
  try {
    service = await start()
    return await fill(service)
  } catch (error) {
    await service?.stop()
    await installation.remove()
    throw error
  }
}
