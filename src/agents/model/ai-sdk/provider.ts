// Makes the language models of a provider package.
import { CannotStart } from '../../../contract/cannot-start.ts'
import type { Redact } from '../failures.ts'
import { shownName } from './package.ts'

type Exports = Record<string, unknown>
type Fetch = typeof fetch
type Options = Record<string, unknown>

/** The versions of the specification of language models that are known here. */
const versions = ['v3', 'v4'] as const
export type Version = (typeof versions)[number]

/** What is used of a language model (https://www.npmjs.com/package/@ai-sdk/provider). */
export type LanguageModel = {
  specificationVersion: Version
  provider: string
  doStream: (options: Options) => PromiseLike<{ stream: ReadableStream<unknown> }>
  doGenerate: (options: Options) => PromiseLike<unknown>
}

/** `options`: those of each call. */
export type Provider = {
  options: Options
  model: (name: string, fetch: Fetch, settings: Options) => LanguageModel
}

/** The settings of a provider. `options`: what the operator sets beside the address and the key. */
export type ProviderSettings = {
  name: string
  baseUrl: string | undefined
  apiKey: string | undefined
  options: Options
}

type Factory = (settings: Options) => unknown
const isFunction = (value: unknown): value is Factory => typeof value === 'function'
const letters = (text: string): string => text.replace(/[^a-zA-Z0-9]/g, '').toLowerCase()

/** The function of a package that makes its provider: `createMistral` of `@ai-sdk/mistral`. */
const factoryIn = (exports: Exports, name: string): { name: string; make: Factory } | undefined => {
  const named = Object.keys(exports).filter(key => /^create[A-Z]/.test(key) && isFunction(exports[key]))
  const own = (key: string) => letters(key.slice('create'.length))
  const best =
    named.find(key => own(key) === letters(name.split('/').at(-1) ?? '')) ??
    named.find(key => letters(name).includes(own(key))) ??
    named[0]
  return best === undefined ? undefined : { name: best, make: exports[best] as Factory }
}

/** Strict schemas must close their objects, and those of requests need not. */
const own = { store: false, strictJsonSchema: false }

/**
 * What a provider is told unless the operator or a request says something else. `settings`: a provider for any endpoint
 * has no endpoint of its own. `options` of calls: the log has the conversation, so the vendor need not store it.
 */
const defaults: Record<string, { settings?: Options; options?: Options }> = {
  createOpenAICompatible: {
    settings: { name: 'endpoint', includeUsage: true, supportsStructuredOutputs: true },
    options: { openaiCompatible: { strictJsonSchema: false } },
  },
  createOpenAI: { options: { openai: own } },
  createAzure: { options: { openai: own, azure: own } },
}

type Made = { languageModel?: (name: string) => unknown }
const isProvider = (value: unknown): value is Made =>
  isFunction(value) || isFunction((value as Made | null | undefined)?.languageModel)
const modelIn = (provider: Made, name: string): LanguageModel =>
  (isFunction(provider.languageModel)
    ? provider.languageModel(name)
    : (provider as unknown as (name: string) => unknown)(name)) as LanguageModel

/** The provider of a package. Throws CannotStart when the package has none. */
export const providerIn = (
  exports: Exports,
  { name, baseUrl, apiKey, options }: ProviderSettings,
): Provider => {
  const factory = factoryIn(exports, name)
  const byDefault = (factory && defaults[factory.name]) ?? {}
  const settings = {
    ...byDefault.settings,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...options,
  }
  if (factory === undefined && !isProvider(exports.default)) {
    throw new CannotStart(
      `MODEL_PROVIDER=${name} is no provider of the AI SDK: it exports no function create… and no provider by default`,
    )
  }
  return {
    options: byDefault.options ?? {},
    model: (wanted, fetch, more) =>
      modelIn((factory?.make({ ...settings, ...more, fetch }) ?? exports.default) as Made, wanted),
  }
}

/** Throws CannotStart when a model of the provider cannot be made, or has a specification that is not known here. */
export const checkProvider = (
  provider: Provider,
  { name }: ProviderSettings,
  model: string,
  redact: Redact,
): void => {
  let made: LanguageModel
  try {
    made = provider.model(model, fetch, {})
  } catch (error) {
    const why = redact((error as Error).message.split('\n')[0] ?? '')
    throw new CannotStart(`MODEL_PROVIDER=${name} makes no model ${model}: ${why}`)
  }
  const version = made?.specificationVersion
  if (versions.includes(version)) return
  const known = `this version of Reprise knows ${versions.join(' and ')}`
  throw new CannotStart(
    version === undefined
      ? `MODEL_PROVIDER=${name} is no provider of the AI SDK: what it makes is no language model`
      : `MODEL_PROVIDER=${name} has the specification ${version}, and ${known}: install another version of ${shownName(name)}`,
  )
}
