import type { ModelName } from '../../brands/models/model-policy.ts'

/** Returns the path parameters for a model. */
export const parametersOf = ({ brandId: brand, model }: ModelName) => ({ brand, model })
