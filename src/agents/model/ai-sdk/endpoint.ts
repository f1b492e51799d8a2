// The endpoint behind a provider package of the AI SDK, which the operator has installed.
import { createHash } from 'node:crypto'
import type { Report, Timers } from '../../../contract/ports.ts'
import type { Switches } from '../../../model-requests/switches.ts'
import { createPersist } from '../ask.ts'
import type { Answer, Heard, ModelEndpoint } from '../endpoint.ts'
import { fieldsOf, listOf } from '../endpoint-values.ts'
import { ModelLost, ModelRefused, redactor } from '../failures.ts'
import { createLessons } from '../lessons.ts'
import { isSecret } from '../secrets.ts'
import { watchSilence } from '../silence.ts'
import { isAboutBody, learned } from '../switches-learned.ts'
import { type Call, callOf } from './call-options.ts'
import { failureOf } from './failures.ts'
import { loadPackage, shownName } from './package.ts'
import { createPartsReader } from './parts.ts'
import {
  checkProvider,
  type LanguageModel,
  type Provider,
  type ProviderSettings,
  providerIn,
} from './provider.ts'
import { partsOfWhole } from './whole.ts'
import { createWire, type Wire } from './wire.ts'

/** `secrets`: texts that no message shows. `switches`: what the operator sets. */
export type SdkSettings = {
  provider: ProviderSettings
  secrets: readonly string[]
  model: string
  silenceMs: number
  switches: Readonly<Partial<Switches>>
}

/** The switches that this protocol knows. */
const known: ReadonlySet<string> = new Set<keyof Switches>([
  ...(['stream', 'usage', 'roles', 'reasoning', 'calls', 'call_ids', 'order', 'tool_images'] as const),
  ...(['images', 'audio', 'files', 'schema', 'tool_schemas'] as const),
])
/** What packages say about parts that they do not take. */
const untaken: { says: RegExp; change: Partial<Switches> }[] = [
  { says: /audio|sound/i, change: { audio: 'off' } },
  { says: /pdf|file|document|application\//i, change: { files: 'text' } },
  { says: /image/i, change: { images: 'off' } },
]
const learn = (present: Switches, refused: ModelRefused): Partial<Switches> | undefined => {
  const isOfPackage = refused.status === undefined && /not supported|unsupported/i.test(refused.words)
  const change = isOfPackage
    ? untaken.find(({ says }) => says.test(refused.words))?.change
    : learned(present, refused, 'chat')
  const name = Object.keys(change ?? {})[0] as keyof Switches | undefined
  return name !== undefined && known.has(name) && change?.[name] !== present[name] ? change : undefined
}

/** An id of the endpoint that does not tell its address. Options, such as a region, may name another endpoint; keys do not. */
const endpointId = ({ name, baseUrl = '', options }: ProviderSettings): string => {
  const open = JSON.stringify(options, (key, value) => (isSecret(key) ? undefined : value))
  return createHash('sha256')
    .update(`ai-sdk ${shownName(name)} ${baseUrl} ${open}`)
    .digest('base64url')
    .slice(0, 12)
}

/** A promise, unless the signal ends the wait: packages may not hear it. */
const within = async <T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted()
  const gone = Promise.withResolvers<never>()
  const leave = () => gone.reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([promise, gone.promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

async function* streamOf(stream: ReadableStream<unknown>, signal: AbortSignal): AsyncGenerator<unknown> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), signal)
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

async function* partsOf(
  model: LanguageModel,
  { optionsFor, isStreamed }: Call,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  const asked = { ...optionsFor(model), abortSignal: signal }
  if (!isStreamed) yield* partsOfWhole(await within(model.doGenerate(asked), signal))
  else yield* streamOf((await within(model.doStream(asked), signal)).stream, signal)
}

/** Reports each warning of a package once. */
const createWarner = (name: string, report: Report) => {
  const told = new Set<string>()
  return (part: unknown): void => {
    const { type, warnings } = fieldsOf(part)
    if (type !== 'stream-start') return
    for (const warning of listOf(warnings)) {
      const text = JSON.stringify(warning)
      if (told.has(text) || told.size >= 100) continue
      told.add(text)
      report('warn', 'the provider of the model warns', { provider: name, warning: fieldsOf(warning) })
    }
  }
}

type Deps = { timers: Timers; report: Report }

/** The endpoint of a provider that is loaded. */
export const createSdkEndpoint = (
  settings: SdkSettings,
  provider: Provider,
  { timers, report }: Deps,
): ModelEndpoint => {
  const { model, silenceMs, switches: own, secrets } = settings
  const name = shownName(settings.provider.name)
  const endpoint = endpointId(settings.provider)
  const redact = redactor(secrets)
  const persist = createPersist(redact, timers)
  const warn = createWarner(name, report)
  const lessons = createLessons(() => ({}), own, learn)
  const dialect = `ai-sdk:${name}`

  async function* read(
    parts: AsyncGenerator<unknown>,
    wire: Wire,
    watch: ReturnType<typeof watchSilence>,
    aborted: () => boolean,
  ): AsyncGenerator<Heard[], Answer> {
    const reader = createPartsReader()
    try {
      for await (const part of parts) {
        warn(part)
        const heard = reader.hear(part)
        if (heard === undefined) continue
        watch.heard()
        wire.heard()
        if (reader.progress() === 'ended') watch.lastWords()
        if (heard.length > 0) yield heard
      }
    } catch (error) {
      // An answer that has ended stays whole if the connection breaks, or stays open, afterwards.
      if (error instanceof ModelRefused || aborted() || reader.progress() !== 'ended') throw error
    }
    const answer = reader.answer()
    const received = wire.received()
    const response = { ...answer.response, ...(received === undefined ? {} : { received_digest: received }) }
    return { ...answer, response, progress: reader.progress(), sentDigest: wire.sent() }
  }

  return {
    model,
    dialect,
    asks(asked) {
      const switches = lessons.switchesOf(asked)
      return {
        model: asked,
        endpoint,
        protocol: 'ai-sdk',
        dialect,
        ...(switches === undefined ? {} : { switches }),
      }
    },
    async *answer(body, signal) {
      const silence = new AbortController()
      const watch = watchSilence(
        timers,
        silenceMs,
        () => silence.abort(),
        () => performance.now(),
      )
      const both = AbortSignal.any([signal, silence.signal])
      const begin = () => {
        watch.end()
        watch.begin()
      }
      const call = callOf(body, provider.options)
      const wire = createWire(persist, both, { ...watch, begin }, call.isStreamed)
      try {
        begin()
        const made = provider.model(call.model, wire.fetch, call.settings)
        return yield* read(partsOf(made, call, both), wire, watch, () => signal.aborted)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (silence.signal.aborted && !(error instanceof ModelLost)) {
          throw new ModelLost(`the model's endpoint was silent for ${silenceMs / 1000} s`)
        }
        throw failureOf(error, wire, name, redact)
      } finally {
        watch.end()
      }
    },
    learns: (asked, refused) =>
      refused.status === undefined || isAboutBody(refused) ? lessons.learns(asked, refused) : undefined,
  }
}

/** Loads the provider package, and checks it. Throws CannotStart. */
export const openSdkEndpoint = async (settings: SdkSettings, deps: Deps): Promise<ModelEndpoint> => {
  const provider = providerIn(await loadPackage(settings.provider.name), settings.provider)
  checkProvider(provider, settings.provider, settings.model, redactor(settings.secrets))
  return createSdkEndpoint(settings, provider, deps)
}
