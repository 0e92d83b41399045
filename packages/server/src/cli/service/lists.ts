/** Reads the lists of a service page by page. */
import { isObject, type JsonObject } from '../../foreign-json.ts'
import { ServiceRefusal } from '../context.ts'
import type { Asked, Asking, AskingForMany, ListPart, Service, ServiceOperation } from './service.ts'

/** Records per answer. */
const PAGE = 250

export function withLists(asked: Asked): Service {
  const call: Service['call'] = async (operation, asking) => {
    refuseOtherPaths(asking)
    return asked.call(operation, asking)
  }
  async function* pages(
    operation: ServiceOperation,
    name: string,
    { most, ...asking }: AskingForMany,
  ): AsyncGenerator<ListPart> {
    let cursor: string | undefined
    for (let left = most; ; ) {
      const limit = Math.min(PAGE, left)
      const { record } = await call(operation, { ...asking, query: { ...asking.query, limit, cursor } })
      const { [name]: items, next } = record
      if (!Array.isArray(items) || !(next === null || typeof next === 'string')) {
        throw new ServiceRefusal(
          `${asked.url} answered without a list of ${name}. It may be another program. Check --url.`,
          { aboutAddress: true },
        )
      }
      const records = items.filter(isObject)
      yield { records, more: next !== null }
      left -= records.length
      if (next === null || left <= 0) return
      cursor = next
    }
  }
  return {
    ...{ ...asked, call, pages },
    recordOf: async (operation, asking) => (await call(operation, asking)).record,
    list: async (operation, name, asking) => {
      const records: JsonObject[] = []
      let more = false
      for await (const part of pages(operation, name, asking)) {
        records.push(...part.records)
        more = part.more
      }
      return { records, more }
    },
  }
}

/** Throws {@link ServiceRefusal} for a name that would lead to a different path. */
function refuseOtherPaths({ id = '', names = {} }: Asking = {}): void {
  const name = [id, ...Object.values(names)].find((one) => one === '.' || one === '..')
  if (name !== undefined)
    throw new ServiceRefusal(`There is nothing with the name ${name}.`, { code: 'no-such-record' })
}
