// Turns the parts of an answer, as a language model of the AI SDK streams them, into pieces of an answer.

import type { Usage } from '../../../contract/wire.ts'
import type { SdkExtra, SdkExtras } from '../../../model-requests/ai-sdk/extras.ts'
import { checkCalls } from '../bounds.ts'
import type { Answer, Heard, HeardCall, Progress } from '../endpoint.ts'
import { countOf, type Fields, fieldsOf, jsonOf, nameOf, wordOf } from '../endpoint-values.ts'
import { endOf } from '../ends.ts'
import { ModelLost } from '../failures.ts'
import { reasonIn } from '../reasons.ts'
import { failureFor } from '../stream-errors.ts'
import { sumOf, usageOf } from '../usage.ts'

type Options = Fields | undefined
type Kind = 'text' | 'reasoning'
/** `options`: what the provider gave with the block. They belong to the newest part of it. */
type Block = { type: Kind; options: Options; newest: Entry | undefined }
/** A part of the turn. `nth`: the number of its item; undefined: it has none. `call`: the id of its call. */
type Entry =
  | { type: Kind; block: Block; nth: number | undefined }
  | { type: 'call'; call: string; options: Options }
  | { type: 'custom'; kind: string; options: Options }
type Call = { id: string; name: string; text: string }

const metadataOf = ({ providerMetadata }: Fields): Options => {
  const given = fieldsOf(providerMetadata)
  return Object.values(given).some(each => Object.keys(fieldsOf(each)).length > 0) ? given : undefined
}
/** Later data of a provider replace earlier ones field by field. */
const merged = (a: Options, b: Options): Options => {
  if (a === undefined || b === undefined) return a ?? b
  const both = Object.entries(b).map(([name, value]) => [name, { ...fieldsOf(a[name]), ...fieldsOf(value) }])
  return { ...a, ...Object.fromEntries(both) }
}

const usageIn = (given: Fields): Usage | undefined => {
  const [input, output] = [fieldsOf(given.inputTokens), fieldsOf(given.outputTokens)]
  return usageOf({
    input: countOf(input.total) ?? sumOf(input.noCache, input.cacheRead, input.cacheWrite),
    output: countOf(output.total) ?? sumOf(output.text, output.reasoning),
    cached: input.cacheRead,
    reasoning: output.reasoning,
  })
}

/** The words of an error in a stream: a text, an Error, or what the endpoint has sent. */
const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : (reasonIn({ error }) ?? 'it did not say why')

/** Parts that say nothing of the answer, so that they are no sign of life. */
const silent = new Set(['stream-start', 'ping', 'raw', 'response-metadata'])

export const createPartsReader = () => {
  const entries: Entry[] = []
  const calls: Call[] = []
  /** Ids of calls that the provider runs itself. */
  const theirs = new Set<string>()
  /** By type and id. */
  const blocks = new Map<string, Block>()
  const counts = { text: 0, reasoning: 0 }
  const response: Answer['response'] = {}
  /** The block to whose item more text belongs. */
  let open: Block | undefined
  let usage: Usage | undefined
  let progress: Progress = 'going'

  const blockOf = (type: Kind, id: string, isNew: boolean): Block => {
    const key = `${type} ${id}`
    const known = isNew ? undefined : blocks.get(key)
    const block = known ?? { type, options: undefined, newest: undefined }
    if (known === undefined) blocks.set(key, block)
    return block
  }
  const add = (block: Block, nth: number | undefined): void => {
    block.newest = { type: block.type, block, nth }
    entries.push(block.newest)
  }
  const hearText = (block: Block, text: string): Heard[] => {
    if (text === '') return []
    const opens = open !== block && open?.type === block.type ? { opens: true as const } : {}
    if (open !== block) add(block, counts[block.type]++)
    open = block
    return [{ kind: block.type, text, ...opens }]
  }
  const hearBlock = (type: Kind, stage: string, part: Fields): Heard[] => {
    const block = blockOf(type, wordOf(part.id), stage === 'start')
    block.options = merged(block.options, metadataOf(part))
    const heard = hearText(block, wordOf(part.delta))
    // Reasoning that only the provider can read has no text.
    const isSealed = stage === 'end' && block.newest === undefined && block.options !== undefined
    if (isSealed && type === 'reasoning') add(block, undefined)
    return heard
  }

  const callOf = (id: string, name: string): Call => {
    const known = calls.find(call => call.id === id)
    if (known !== undefined) return known
    const call = { id, name, text: '' }
    checkCalls(calls.push(call))
    entries.push({ type: 'call', call: id, options: undefined })
    open = undefined
    return call
  }
  const noteCall = (id: string, options: Options): void => {
    if (options === undefined) return
    for (const entry of entries) {
      if (entry.type === 'call' && entry.call === id) entry.options = merged(entry.options, options)
    }
  }
  const hearInput = (id: string, name: string, text: string): Heard[] => {
    const call = callOf(id, name)
    if (text === '') return []
    call.text += text
    return [{ kind: 'call', call: call.id, name: call.name, text }]
  }
  /** The whole arguments of a call, of which pieces may have come. What has come is not taken back. */
  const hearCall = (part: Fields): Heard[] => {
    const id = wordOf(part.toolCallId)
    const known = calls.find(call => call.id === id)?.text ?? ''
    const input = jsonOf(part.input)
    const heard = hearInput(
      id,
      wordOf(part.toolName),
      input.startsWith(known) ? input.slice(known.length) : '',
    )
    noteCall(id, metadataOf(part))
    return heard
  }

  const hearEnd = (part: Fields): void => {
    usage = usageIn(fieldsOf(part.usage)) ?? usage
    const { unified, raw } = fieldsOf(part.finishReason)
    const [word, own] = [nameOf(unified), nameOf(raw)]
    // Without a word of the endpoint, the package says that there was an end, and knows of none.
    if (own === undefined && (word === undefined || word === 'other')) return
    const isKnown = own !== undefined && (endOf(own) !== 'unknown' || word === 'other' || word === undefined)
    const reason = isKnown ? own : word
    if (reason !== undefined) response.finish_reason = reason
    progress = 'ended'
  }

  /** Reads a part of one type. */
  const readers: Record<string, (part: Fields, id: string) => Heard[]> = {
    'tool-input-start': (part, id) => {
      if (part.providerExecuted === true) theirs.add(id)
      else callOf(id, wordOf(part.toolName))
      return []
    },
    'tool-input-delta': (part, id) => (theirs.has(id) ? [] : hearInput(id, '', wordOf(part.delta))),
    'tool-call': part => (part.providerExecuted === true ? [] : hearCall(part)),
    'response-metadata': part => {
      const [id, model] = [nameOf(part.id), nameOf(part.modelId)]
      if (id !== undefined) response.id ??= id
      if (model !== undefined) response.model ??= model
      return []
    },
    custom: part => {
      entries.push({ type: 'custom', kind: wordOf(part.kind), options: metadataOf(part) })
      return []
    },
    finish: part => {
      hearEnd(part)
      return []
    },
    error: part => {
      throw failureFor(wordsOf(part.error))
    },
  }

  /** Calls without pieces come last, as their items do. */
  const inOrder = (): Call[] => [
    ...calls.filter(({ text }) => text !== ''),
    ...calls.filter(({ text }) => text === ''),
  ]

  const optionsOf = (entry: Entry): Options =>
    'block' in entry ? (entry.block.newest === entry ? entry.block.options : undefined) : entry.options

  const extrasOf = (): SdkExtras | undefined => {
    const nths = new Map(inOrder().map(({ id }, nth) => [id, nth]))
    const parts = entries.map((entry): SdkExtra => {
      const given = optionsOf(entry)
      const options = given === undefined ? {} : { options: given }
      if (entry.type === 'custom') return { type: 'custom', kind: entry.kind, ...options }
      if (entry.type === 'call') return { type: 'call', nth: nths.get(entry.call) ?? 0, ...options }
      if (entry.type === 'text') return { type: 'text', nth: entry.nth ?? 0, ...options }
      return { type: 'reasoning', ...(entry.nth === undefined ? {} : { nth: entry.nth }), ...options }
    })
    const isWanted = entries.some(entry => entry.type === 'custom' || optionsOf(entry) !== undefined)
    return isWanted ? { parts } : undefined
  }

  return {
    /** The pieces in a part; undefined: the part is no sign of life. Throws when it is an error. */
    hear(value: unknown): Heard[] | undefined {
      const part = fieldsOf(value)
      const type = wordOf(part.type)
      const id = wordOf(part.id)
      const [, kind, stage = ''] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? []
      const heard =
        kind === undefined
          ? ((Object.hasOwn(readers, type) ? readers[type]?.(part, id) : undefined) ?? [])
          : hearBlock(kind as Kind, stage, part)
      if (type.startsWith('tool-input-')) noteCall(id, metadataOf(part))
      return silent.has(type) || (type.endsWith('-delta') && heard.length === 0) ? undefined : heard
    },
    progress: (): Progress => progress,
    answer(): Omit<Answer, 'progress'> {
      const made = inOrder()
      if (made.some(({ name }) => name === ''))
        throw new ModelLost('the model called a tool without its name')
      const extras = extrasOf()
      const ids = made.map(({ id }) => id)
      return {
        response: {
          ...response,
          ...(ids.some(id => id !== '') ? { call_ids: ids } : {}),
          ...(extras === undefined ? {} : { kept: extras }),
        },
        ...(usage === undefined ? {} : { usage }),
        calls: made.map(({ name, text }): HeardCall => ({ name, arguments: text.trim() === '' ? '' : text })),
      }
    },
  }
}
