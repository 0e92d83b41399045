/** Allows devices of one model to become another, or stops allowing it. */
import { invalidField } from '../../errors.ts'
import type { BrandDeps } from '../brand-deps.ts'
import { findModel } from './find-model.ts'
import { type ModelName, showModelName } from './model-policy.ts'

/** Both models must exist, and differ. Allowing twice changes nothing. Throws `invalid-field`. */
export async function allowRemodel(
  { from, to }: { readonly from: ModelName; readonly to: ModelName },
  deps: Pick<BrandDeps, 'models' | 'change' | 'clock'>,
): Promise<void> {
  await findModel(from, deps)
  await findModel(to, deps)
  if (showModelName(from) === showModelName(to)) {
    throw invalidField(
      `${showModelName(from)} is the same model. A new revision of a model needs no remodel.`,
    )
  }
  await deps.change(async ({ models, record }) => {
    if (!(await models.allowRemodel(from, to, deps.clock()))) return
    await record({
      action: 'model.allow-remodel',
      subject: showModelName(from),
      details: { to: showModelName(to) },
    })
  })
}

/** Devices that have already become the other model stay what they are. Throws `invalid-field` if it is not allowed. */
export async function disallowRemodel(
  { from, to }: { readonly from: ModelName; readonly to: ModelName },
  { change }: Pick<BrandDeps, 'change'>,
): Promise<void> {
  const [subject, other] = [showModelName(from), showModelName(to)]
  const taken = await change(async ({ models, record }) => {
    if (!(await models.disallowRemodel(from, to))) return false
    await record({ action: 'model.disallow-remodel', subject, details: { to: other } })
    return true
  })
  if (taken) return
  throw invalidField(
    `Devices of ${subject.slice(0, 128)} may not become ${other.slice(0, 128)} anyway. \`ratafia models show\` shows what they may become.`,
  )
}
