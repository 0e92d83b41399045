/** Allows devices of one model to become another, or stops allowing it. */
import { type Authority, brandsFor, brandsNamed, covers } from '../../authority.ts'
import { invalidField, noSuchRecord } from '../../errors.ts'
import { type Page, type Paging, pageOf } from '../../page.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import { isStorable, managedModel, type NamedModel, noSuchModel, seenModel } from './find-model.ts'
import { type ModelName, showModelName } from './model-policy.ts'
import type { Remodel } from './model-store.ts'

interface Pair {
  readonly from: ModelName
  readonly to: ModelName
  readonly authority: Authority
}

/**
 * Allows a remodel. Both models must exist and differ, and the caller must manage both: the devices get serials of the
 * other brand. Allowing it twice changes nothing. Throws `invalid-field`, and as `managedModel` does.
 */
export async function allowRemodel({ from, to, authority }: Pair, stores: Stores): Promise<Remodel> {
  await managedModel({ model: from, authority }, stores)
  await managedModel({ model: to, authority }, stores)
  if (showModelName(from) === showModelName(to)) {
    throw invalidField(
      `${showModelName(from)} is the same model. A new revision of a model needs no remodel.`,
    )
  }
  return stores.changeBy(authority.author)(async ({ models, record }) => {
    // The order is the same everywhere, so that two callers don't deadlock.
    for (const name of [from, to].sort((a, b) => (showModelName(a) < showModelName(b) ? -1 : 1))) {
      if (!(await models.hold(name))) throw noSuchModel(name)
    }
    const isNew = await models.allowRemodel(from, to, stores.clock())
    const remodel = await models.findRemodel(from, to)
    if (!remodel) throw noSuchRemodel({ from, to })
    if (isNew) {
      await record({
        action: 'model.allow-remodel',
        subject: showModelName(from),
        details: { to: showModelName(to) },
      })
    }
    return remodel
  })
}

/**
 * Stops allowing a remodel, and returns it. Devices that have already become the other model stay unchanged. Throws
 * `no-such-record` if it is not allowed, even for a model that the caller can't see, and as `managedModel` does for the
 * model they come from.
 */
export async function disallowRemodel(
  { from, to, authority, mustBeSeen }: Pair & { readonly mustBeSeen?: ((now: Remodel) => void) | undefined },
  stores: Stores,
): Promise<Remodel> {
  await managedModel({ model: from, authority }, stores)
  const isSeen = covers(brandsFor(authority, 'models:read'), to.brandId) && isStorable(to)
  if (!isSeen) throw noSuchRemodel({ from, to })
  return stores.changeBy(authority.author)(async ({ models, record }) => {
    const remodel = await models.findRemodel(from, to)
    if (!remodel) throw noSuchRemodel({ from, to })
    mustBeSeen?.(remodel)
    if (!(await models.disallowRemodel(from, to))) throw noSuchRemodel({ from, to })
    await record({
      action: 'model.disallow-remodel',
      subject: showModelName(from),
      details: { to: showModelName(to) },
    })
    return remodel
  })
}

function noSuchRemodel({ from, to }: Pick<Pair, 'from' | 'to'>) {
  const [subject, other] = [showModelName(from).slice(0, 128), showModelName(to).slice(0, 128)]
  return noSuchRecord(
    `Devices of ${subject} can't become ${other} anyway. \`ratafia models show\` lists the models that they can become.`,
    { kind: 'remodel', id: `${subject} ${other}` },
  )
}

/** Returns remodels to visible models, sorted by brand and name. Throws as {@link seenModel} does. */
export async function listRemodels(
  { after, limit, ...named }: NamedModel & Paging<ModelName>,
  stores: TransactionStores,
): Promise<Page<Remodel>> {
  const model = await seenModel(named, stores)
  const brands = brandsNamed(brandsFor(named.authority, 'models:read'), undefined)
  return pageOf(limit, (most) => stores.models.remodelsFrom(model, { brands, after, limit: most }))
}

/** The remodel as the API, `--json` and exports show it. Times are RFC 3339 in UTC. */
export const remodelRecord = ({ from, to, allowedAt }: Remodel) => ({
  from: showModelName(from),
  to: showModelName(to),
  allowed_at: allowedAt.toISOString(),
})
