import type { ModelName } from '../../brands/models/model-policy.ts'

/** A model in the path of an operation. */
export const parametersOf = ({ brandId: brand, model }: ModelName) => ({ brand, model })
