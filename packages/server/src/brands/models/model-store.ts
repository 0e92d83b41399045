/** The policies of models, and the permitted remodels: the tables `model` and `remodel`. */
import { sql } from 'kysely'
import {
  announce,
  changeAnnounced,
  compiledOnce,
  type Database,
  fromInstant,
  inTransaction,
  type ModelTable,
  type RemodelTable,
  rowLock,
  toInstant,
} from '../../database/index.ts'
import type { ModelName, ModelPolicy, OpenModel, StoredModel } from './model-policy.ts'

/** Permission for devices of one model to become another. */
export interface Remodel {
  readonly from: ModelName
  readonly to: ModelName
  readonly allowedAt: Date
}

export interface ModelStore {
  find(name: ModelName): Promise<StoredModel | undefined>
  findOpen(name: ModelName): Promise<OpenModel | undefined>
  /** Does the same as `findOpen`, and keeps the model from being removed until the transaction ends. */
  hold(name: ModelName): Promise<OpenModel | undefined>
  /** Blocks until every earlier caller's transaction has ended, but not `hold`. Returns false without such a model. */
  queue(name: ModelName): Promise<boolean>
  /** Until the transaction ends, no other holds the model or adds its records. Returns false without such a model. */
  lock(name: ModelName): Promise<boolean>
  /** Returns all models, sorted by brand and name. */
  list(): Promise<readonly StoredModel[]>
  /** Returns the models of these brands in the same order, after `after` if given. */
  page(wanted: {
    readonly brands: readonly string[] | 'all'
    readonly after: ModelName | undefined
    readonly limit: number
  }): Promise<readonly OpenModel[]>
  /** Returns false, and changes nothing, if it already exists. */
  add(model: StoredModel): Promise<boolean>
  /** Leaves other settings unchanged, even if they change at the same time. Returns false if there is no such model. */
  setPolicy(name: ModelName, changes: Partial<ModelPolicy>): Promise<boolean>
  /** Returns the next number for serials, each once: one statement counts up. Undefined without such a model. */
  takeNumber(name: ModelName): Promise<number | undefined>
  /** Allows a remodel between two existing models. Returns false if it is already allowed. */
  allowRemodel(from: ModelName, to: ModelName, at: Date): Promise<boolean>
  /** Returns false if it is not allowed. */
  disallowRemodel(from: ModelName, to: ModelName): Promise<boolean>
  isRemodelAllowed(from: ModelName, to: ModelName): Promise<boolean>
  /** Returns the models of these brands that it can become, sorted by brand and name, after `after` if given. */
  remodelsFrom(
    from: ModelName,
    page: {
      readonly brands: readonly string[] | 'all'
      readonly after?: ModelName | undefined
      readonly limit: number
    },
  ): Promise<readonly Remodel[]>
  findRemodel(from: ModelName, to: ModelName): Promise<Remodel | undefined>
  /**
   * Removes the model and its remodels in both directions, and returns those. The statement fails for a model
   * that has API keys or an allow-list.
   */
  remove(name: ModelName): Promise<readonly Remodel[]>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly models: ModelStore
  }
}

/** Uses the primary key. */
const named = (query: Database['query'], { brandId, model }: ModelName) =>
  query.selectFrom('model').selectAll().where('brand_id', '=', brandId).where('model', '=', model)

/** Uses the index api_key_model. */
const someApiKey = ({ brandId, model }: ModelName) =>
  sql<string | null>`(
    select id from api_key where brand_id = ${brandId} and model = ${model} limit 1
  )`.as('some_api_key')

type Names = Pick<ModelName, keyof ModelName>
const selectOpen = compiledOnce((query, name: Names) => named(query, name).select(someApiKey(name)))
const selectHeld = compiledOnce((query, name: Names) =>
  named(query, name).select(someApiKey(name)).modifyEnd(rowLock(query, 'key share')),
)

export function modelStore({ query }: Pick<Database, 'query'>): ModelStore {
  const lock = async (name: ModelName, strength: 'no key update' | 'update') =>
    (await named(query, name).modifyEnd(rowLock(query, strength)).executeTakeFirst()) !== undefined

  const pair = (from: ModelName, to: ModelName) =>
    // Uses the primary key.
    query
      .selectFrom('remodel')
      .selectAll()
      .where('from_brand_id', '=', from.brandId)
      .where('from_model', '=', from.model)
      .where('to_brand_id', '=', to.brandId)
      .where('to_model', '=', to.model)
      .executeTakeFirst()

  return {
    async find(name) {
      const row = await named(query, name).executeTakeFirst()
      return row && modelOf(row)
    },

    async findOpen(name) {
      const [row] = (await selectOpen(query, name)).rows
      return row && openModelOf(row)
    },

    async hold(name) {
      const [row] = (await selectHeld(query, name)).rows
      return row && openModelOf(row)
    },

    queue: (name) => lock(name, 'no key update'),

    lock: (name) => lock(name, 'update'),

    async list() {
      // Reads the whole table: an operator has dozens of models.
      const rows = await query.selectFrom('model').selectAll().orderBy('brand_id').orderBy('model').execute()
      return rows.map(modelOf)
    },

    async page({ brands, after, limit }) {
      if (brands.length === 0) return []
      // Uses the primary key, in its order; for each model the index api_key_model.
      let page = query
        .selectFrom('model')
        .selectAll()
        .select(({ selectFrom }) =>
          selectFrom('api_key')
            .select('api_key.id')
            .whereRef('api_key.brand_id', '=', 'model.brand_id')
            .whereRef('api_key.model', '=', 'model.model')
            .limit(1)
            .as('some_api_key'),
        )
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('brand_id', 'model'), '>', tuple(after?.brandId ?? '', after?.model ?? '')),
        )
      if (brands !== 'all') page = page.where('brand_id', 'in', brands)
      const rows = await page.orderBy('brand_id').orderBy('model').limit(limit).execute()
      return rows.map(openModelOf)
    },

    async add({ brandId, model, policy, addedAt }) {
      const row = {
        brand_id: brandId,
        model,
        next_number: 1,
        added_at: toInstant(addedAt),
        ...columnsOf(policy),
      }
      return changeAnnounced(query, modelRow({ brandId, model }), (transaction) =>
        transaction
          .insertInto('model')
          .values(row)
          .onConflict((conflict) => conflict.columns(['brand_id', 'model']).doNothing()),
      )
    },

    setPolicy: ({ brandId, model }, changes) =>
      changeAnnounced(query, modelRow({ brandId, model }), (transaction) =>
        // Uses the primary key.
        transaction
          .updateTable('model')
          .set(changedColumns(changes))
          .where('brand_id', '=', brandId)
          .where('model', '=', model),
      ),

    async takeNumber({ brandId, model }) {
      // Uses the primary key. The lock on the row makes each number unique.
      const row = await query
        .updateTable('model')
        .set((set) => ({ next_number: set('next_number', '+', 1) }))
        .where('brand_id', '=', brandId)
        .where('model', '=', model)
        .returning('next_number')
        .executeTakeFirst()
      return row && row.next_number - 1
    },

    allowRemodel: (from, to, at) =>
      changeAnnounced(query, remodelRow(from, to), (transaction) =>
        transaction
          .insertInto('remodel')
          .values({
            from_brand_id: from.brandId,
            from_model: from.model,
            to_brand_id: to.brandId,
            to_model: to.model,
            allowed_at: toInstant(at),
          })
          .onConflict((conflict) =>
            conflict.columns(['from_brand_id', 'from_model', 'to_brand_id', 'to_model']).doNothing(),
          ),
      ),

    disallowRemodel: (from, to) =>
      changeAnnounced(query, remodelRow(from, to), (transaction) =>
        // Uses the primary key.
        transaction
          .deleteFrom('remodel')
          .where('from_brand_id', '=', from.brandId)
          .where('from_model', '=', from.model)
          .where('to_brand_id', '=', to.brandId)
          .where('to_model', '=', to.model),
      ),

    isRemodelAllowed: async (from, to) => (await pair(from, to)) !== undefined,

    async findRemodel(from, to) {
      const row = await pair(from, to)
      return row && remodelOf(row)
    },

    async remodelsFrom({ brandId, model }, { brands, after, limit }) {
      if (brands.length === 0) return []
      // The primary key begins with these columns, and has this order.
      let remodels = query
        .selectFrom('remodel')
        .selectAll()
        .where('from_brand_id', '=', brandId)
        .where('from_model', '=', model)
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('to_brand_id', 'to_model'), '>', tuple(after?.brandId ?? '', after?.model ?? '')),
        )
      if (brands !== 'all') remodels = remodels.where('to_brand_id', 'in', brands)
      const rows = await remodels.orderBy('to_brand_id').orderBy('to_model').limit(limit).execute()
      return rows.map(remodelOf)
    },

    remove: ({ brandId, model }) =>
      inTransaction(query, async (transaction) => {
        // Reads the whole table, some dozens of rows.
        const remodels = await transaction
          .deleteFrom('remodel')
          .where((pair) =>
            pair.or([
              pair.and({ from_brand_id: brandId, from_model: model }),
              pair.and({ to_brand_id: brandId, to_model: model }),
            ]),
          )
          .returningAll()
          .execute()
        const ids = remodels.map((pair) =>
          [pair.from_brand_id, pair.from_model, pair.to_brand_id, pair.to_model].join('/'),
        )
        await announce(transaction, 'remodel', ids)
        await changeAnnounced(transaction, modelRow({ brandId, model }), () =>
          // Uses the primary key.
          transaction.deleteFrom('model').where('brand_id', '=', brandId).where('model', '=', model),
        )
        return remodels.map(remodelOf)
      }),
  }
}

const modelRow = ({ brandId, model }: ModelName) => ({ kind: 'model', id: `${brandId}/${model}` }) as const

const remodelRow = (from: ModelName, to: ModelName) =>
  ({ kind: 'remodel', id: [from.brandId, from.model, to.brandId, to.model].join('/') }) as const

const remodelOf = (row: RemodelTable): Remodel => ({
  from: { brandId: row.from_brand_id, model: row.from_model },
  to: { brandId: row.to_brand_id, model: row.to_model },
  allowedAt: fromInstant(row.allowed_at),
})

function columnsOf(policy: ModelPolicy) {
  return {
    registration: policy.registration,
    proposed_serial: policy.proposedSerial,
    taken_serial: policy.takenSerial,
    serial_template: policy.serialTemplate,
    hardware_identity: policy.hardwareIdentity ? 1 : 0,
    quarantine_clones: policy.quarantineClones ? 1 : 0,
  }
}

function changedColumns(changes: Partial<ModelPolicy>): Partial<ModelTable> {
  const { registration, proposedSerial, takenSerial, serialTemplate, hardwareIdentity, quarantineClones } =
    changes
  return {
    ...(registration === undefined ? {} : { registration }),
    ...(proposedSerial === undefined ? {} : { proposed_serial: proposedSerial }),
    ...(takenSerial === undefined ? {} : { taken_serial: takenSerial }),
    ...(serialTemplate === undefined ? {} : { serial_template: serialTemplate }),
    ...(hardwareIdentity === undefined ? {} : { hardware_identity: hardwareIdentity ? 1 : 0 }),
    ...(quarantineClones === undefined ? {} : { quarantine_clones: quarantineClones ? 1 : 0 }),
  }
}

const openModelOf = (row: ModelTable & { readonly some_api_key: string | null }): OpenModel => ({
  ...modelOf(row),
  needsApiKey: row.some_api_key !== null,
})

function modelOf(row: ModelTable): StoredModel {
  return {
    brandId: row.brand_id,
    model: row.model,
    addedAt: fromInstant(row.added_at),
    policy: {
      registration: row.registration,
      proposedSerial: row.proposed_serial,
      takenSerial: row.taken_serial,
      serialTemplate: row.serial_template,
      hardwareIdentity: row.hardware_identity === 1,
      quarantineClones: row.quarantine_clones === 1,
    },
  }
}
