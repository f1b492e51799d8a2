// Makes the call options of a body: values that JSON cannot hold, and the words of the version of the specification.
import { type Fields, fieldsOf, listOf } from '../endpoint-values.ts'
import type { LanguageModel, Version } from './provider.ts'

/** `isStreamed`: whether the answer is asked for as a stream. `settings`: those of the provider for this call. */
export type Call = {
  model: string
  isStreamed: boolean
  settings: Fields
  optionsFor: (model: LanguageModel) => Fields
}

type Data = { type: string; data?: string; url?: string }

const filePart = (part: Fields, version: Version): Fields => {
  const { type, data, url = '' } = part.data as Data
  if (version === 'v3') return { ...part, data: type === 'url' ? new URL(url) : data }
  return type === 'url' ? { ...part, data: { type, url: new URL(url) } } : part
}
/** A file in the result of a tool. Version 3 has a type for each kind of it. */
const resultPart = (part: Fields, version: Version): Fields => {
  if (part.type !== 'file') return part
  if (version !== 'v3') return filePart(part, version)
  const { mediaType, filename } = part
  const { type, data, url } = part.data as Data
  const kind = String(mediaType).startsWith('image/') ? 'image' : 'file'
  if (type === 'url') return { type: `${kind}-url`, url }
  return { type: `${kind}-data`, data, mediaType, ...(kind === 'file' && filename ? { filename } : {}) }
}

const outputOf = (part: Fields, version: Version): Fields => {
  const output = fieldsOf(part.output)
  if (output.type !== 'content') return part
  const value = listOf(output.value).map(each => resultPart(fieldsOf(each), version))
  return { ...part, output: { ...output, value } }
}

const partOf = (part: Fields, version: Version): Fields[] => {
  if (part.type === 'file') return [filePart(part, version)]
  if (part.type === 'tool-result') return [outputOf(part, version)]
  return part.type === 'custom' && version === 'v3' ? [] : [part]
}
const messageOf = (message: Fields, version: Version): Fields =>
  Array.isArray(message.content)
    ? { ...message, content: message.content.flatMap(part => partOf(fieldsOf(part), version)) }
    : message

/** Options of providers, by their names. Later ones replace earlier ones field by field. */
const together = (...all: Fields[]): Fields => {
  const names = new Set(all.flatMap(each => Object.keys(each)))
  const joined = [...names].map(name => [name, Object.assign({}, ...all.map(each => fieldsOf(each[name])))])
  return Object.fromEntries(joined)
}

/**
 * What a body asks for. `defaults`: options of the provider for each call. Fields that only the provider knows become
 * its options.
 */
export const callOf = (body: string, defaults: Fields): Call => {
  const all = JSON.parse(body) as Fields
  const { model, stream, includeUsage, further, prompt, providerOptions, ...options } = all
  return {
    model: String(model),
    isStreamed: stream !== false,
    settings: includeUsage === undefined ? {} : { includeUsage },
    optionsFor({ specificationVersion: version, provider }) {
      const key = String(provider).split('.')[0] ?? ''
      const own = further === undefined ? {} : { [key]: further }
      const given = together(defaults, own, fieldsOf(providerOptions))
      const messages = listOf(prompt).map(message => messageOf(fieldsOf(message), version))
      return {
        ...options,
        prompt: messages,
        ...(Object.keys(given).length === 0 ? {} : { providerOptions: given }),
      }
    },
  }
}
