// Opens the endpoint that the operator has configured.
import { openSdkEndpoint } from './ai-sdk/endpoint.ts'
import { shownName } from './ai-sdk/package.ts'
import { createConfiguredEndpoint } from './configured-endpoint.ts'
import { guessedDialect } from './dialects.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { shownUrl } from './secrets.ts'
import type { ModelSettings } from './settings.ts'

/** Throws CannotStart when the provider package of the endpoint cannot be used. */
export const openEndpoint = async (
  settings: ModelSettings,
  deps: Parameters<typeof openSdkEndpoint>[1],
): Promise<ModelEndpoint> =>
  'provider' in settings ? openSdkEndpoint(settings, deps) : createConfiguredEndpoint(settings, deps.timers)

/** The address and the dialect of an endpoint, for people. */
export const shownAddress = (settings: ModelSettings): string => {
  if ('provider' in settings) {
    const { name, baseUrl } = settings.provider
    const at = baseUrl === undefined ? 'the endpoint of the package' : shownUrl(baseUrl)
    return `${at} (dialect ai-sdk:${shownName(name)})`
  }
  const { baseUrl, dialect, model } = settings
  return `${shownUrl(baseUrl)} (dialect ${dialect ?? guessedDialect(baseUrl, model)})`
}
