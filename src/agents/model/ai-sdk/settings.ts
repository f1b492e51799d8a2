// Reads the variables of a provider package.
import { CannotStart } from '../../../contract/cannot-start.ts'
import type { Env } from '../../../platform/variables.ts'
import { secretsIn, secretsOfUrl } from '../secrets.ts'
import type { ProviderSettings } from './provider.ts'

type Options = Record<string, unknown>

const optionsIn = ({ MODEL_PROVIDER_OPTIONS: given }: Env): Options => {
  if (!given) return {}
  let value: unknown
  try {
    value = JSON.parse(given)
  } catch {
    value = undefined
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Options
  throw new CannotStart('MODEL_PROVIDER_OPTIONS is no JSON object: use one such as {"region":"eu-central-1"}')
}

/** Packages read the keys of their vendors from variables of their own. */
const keysOfVendors = (env: Env): string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    /_(API_KEY|ACCESS_KEY|TOKEN|SECRET|PASSWORD)$/.test(name) && value ? [value] : [],
  )

/**
 * The provider package, its model, and the texts that no message may show; undefined: none is configured. Throws
 * CannotStart when a value is invalid.
 */
export const packageIn = (
  env: Env,
): { provider: ProviderSettings; secrets: readonly string[]; model: string } | undefined => {
  const { MODEL_PROVIDER: name, MODEL: model, MODEL_DIALECT: dialect } = env
  const options = optionsIn(env)
  if (!name) {
    if (Object.keys(options).length === 0) return undefined
    throw new CannotStart(
      'MODEL_PROVIDER_OPTIONS is set without MODEL_PROVIDER: set that to the name of a package',
    )
  }
  if (!model) {
    throw new CannotStart(`MODEL_PROVIDER=${name} is set without MODEL: set that to the name of a model`)
  }
  if (dialect) {
    throw new CannotStart(
      `MODEL_DIALECT=${dialect} means nothing beside MODEL_PROVIDER=${name}, which speaks to the endpoint: unset one of them`,
    )
  }
  const [apiKey, baseUrl] = [env.MODEL_API_KEY || undefined, env.MODEL_BASE_URL || undefined]
  const ofUrl = baseUrl === undefined ? [] : secretsOfUrl(baseUrl)
  return {
    provider: { name, baseUrl, apiKey, options },
    secrets: [...ofUrl, ...secretsIn(options), ...keysOfVendors(env)],
    model,
  }
}
