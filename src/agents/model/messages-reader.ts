// Turns the events of an endpoint of Messages, or its whole answer, into texts and calls.

import type { Usage } from '../../contract/wire.ts'
import type { MessagesExtras, MessagesThought } from '../../model-requests/messages/extras.ts'
import { toldOf } from './answer-facts.ts'
import { createCalls } from './calls.ts'
import type { Heard } from './endpoint.ts'
import { type Fields, fieldsOf, jsonOf, listOf, nameOf, wordOf } from './endpoint-values.ts'
import { ModelLost } from './failures.ts'
import { createItemPlaces } from './item-places.ts'
import type { Message, Reader } from './reader.ts'
import { reasonInStream } from './reasons.ts'
import { createSources, sourcesOf } from './sources.ts'
import { errorIn, failureIn } from './stream-errors.ts'
import { sumOf, usageOf } from './usage.ts'

/** The usage, whose fields come in two messages. Cached tokens are no part of `input_tokens` here, but of ours. */
const usageIn = (given: Fields): Usage | undefined =>
  usageOf({
    input: sumOf(given.input_tokens, given.cache_read_input_tokens, given.cache_creation_input_tokens),
    output: given.output_tokens,
    cached: given.cache_read_input_tokens,
    reasoning: fieldsOf(given.output_tokens_details).thinking_tokens,
  })

/** Ends in the middle of an answer: the last call may have lost its end. */
const cutting = ['max_tokens', 'model_context_window_exceeded']

/** `input`: the arguments with which a call began, in case that no pieces of them follow. */
type Block = { type: string; index: unknown; isBegun: boolean; signature: string; input: string }

export const createMessagesReader = (): Reader => {
  const calls = createCalls()
  const places = createItemPlaces()
  const thoughts: MessagesThought[] = []
  const sources = createSources()
  let block: Block | undefined
  let id: string | undefined
  let model: string | undefined
  let stop: string | undefined
  let usage: Fields = {}
  let isOver = false

  const hearUsage = (given: unknown) => {
    const known = Object.entries(fieldsOf(given)).filter(([, value]) => value !== null)
    usage = { ...usage, ...Object.fromEntries(known) }
  }

  const say = (kind: 'text' | 'reasoning' | 'refusal', text: string): Heard[] => {
    if (text === '') return []
    const opens = kind === 'reasoning' && block?.isBegun === false && places.isOpen('reasoning')
    if (block !== undefined) block.isBegun = true
    return sources.on(places.hear([{ kind, text, ...(opens ? { opens: true as const } : {}) }]))
  }
  const call = (index: unknown, fields: Fields): Heard[] => places.hear(calls.hear([{ index, ...fields }]))

  /** The end of a block, also of one whose end nobody told. */
  const endBlock = (): Heard[] => {
    const ended = block
    block = undefined
    if (ended === undefined) return []
    if (ended.type === 'thinking' && ended.signature !== '') {
      thoughts.push({
        ...(ended.isBegun ? places.thought() : places.next()),
        signature: ended.signature,
      })
    }
    if (ended.input === '') return []
    return call(ended.index, { function: { arguments: ended.input } })
  }

  const beginBlock = (index: unknown, given: Fields): Heard[] => {
    const before = endBlock()
    const type = wordOf(given.type)
    block = { type, index, isBegun: false, signature: wordOf(given.signature), input: '' }
    if (type === 'text') {
      return [...before, ...say('text', wordOf(given.text)), ...sources.hear(sourcesOf(given.citations))]
    }
    if (type === 'thinking') return [...before, ...say('reasoning', wordOf(given.thinking))]
    if (type === 'redacted_thinking') thoughts.push({ ...places.next(), redacted: wordOf(given.data) })
    if (type !== 'tool_use') return before
    const input = jsonOf(given.input)
    block.input = input === '{}' ? '' : input
    return [...before, ...call(index, { id: given.id, function: { name: given.name } })]
  }

  const hearDelta = (index: unknown, delta: Fields): Heard[] => {
    if (delta.type === 'text_delta') return say('text', wordOf(delta.text))
    if (delta.type === 'citations_delta') return sources.hear(sourcesOf([delta.citation]))
    if (delta.type === 'thinking_delta') return say('reasoning', wordOf(delta.thinking))
    if (delta.type === 'signature_delta' && block !== undefined) block.signature += wordOf(delta.signature)
    if (delta.type !== 'input_json_delta') return []
    if (block !== undefined) block.input = ''
    return call(index, { function: { arguments: delta.partial_json } })
  }

  /** The end of the answer. A refusal may say why; nothing else of it is text. */
  const hearEnd = ({ stop_reason, stop_details }: Fields): Heard[] => {
    stop = nameOf(stop_reason) ?? stop
    const { type, explanation } = fieldsOf(stop_details)
    return type === 'refusal' ? say('refusal', wordOf(explanation)) : []
  }

  const hearMessage = (message: Fields) => {
    id ??= nameOf(message.id)
    model ??= nameOf(message.model)
    hearUsage(message.usage)
  }

  /** An answer that was not streamed. */
  const hearWhole = (message: Fields): Heard[] => {
    hearMessage(message)
    const content = listOf(message.content).map(fieldsOf)
    const isCut = cutting.includes(wordOf(message.stop_reason))
    const heard = content.flatMap((given, index) => {
      const isLost = isCut && index === content.length - 1 && given.type === 'tool_use'
      const pieces = beginBlock(index, isLost ? { ...given, input: {} } : given)
      if (!isLost && given.type === 'tool_use' && block !== undefined) block.input = jsonOf(given.input)
      return pieces
    })
    return [...heard, ...endBlock(), ...hearEnd(message)]
  }

  const hear = ({ event, data }: Message): Heard[] | undefined => {
    const why = reasonInStream(data, event)
    if (why !== undefined) throw failureIn(errorIn(data), why)
    switch (wordOf(data.type) || event) {
      case 'message':
        return hearWhole(data)
      case 'message_start':
        hearMessage(fieldsOf(data.message))
        return []
      case 'content_block_start':
        return beginBlock(data.index, fieldsOf(data.content_block))
      case 'content_block_delta':
        return hearDelta(data.index, fieldsOf(data.delta))
      case 'content_block_stop':
        return endBlock()
      case 'message_delta': {
        const heard = [...endBlock(), ...hearEnd(fieldsOf(data.delta))]
        hearUsage(data.usage)
        return heard
      }
      case 'message_stop':
        isOver = true
        return endBlock()
      default:
        return undefined // a ping, or an event of a later version
    }
  }

  return {
    hear,
    isWhole: ({ type, content }) => type === 'message' && Array.isArray(content),
    progress: () => (isOver ? 'over' : stop === undefined ? 'going' : 'ended'),
    rest: () => places.hear(calls.rest()),
    answer() {
      if (stop === undefined && !isOver && block !== undefined) {
        throw new ModelLost("the model's answer broke off")
      }
      if (calls.isNameless()) throw new ModelLost('the model called a tool without its name')
      const extras: MessagesExtras | undefined = thoughts.length === 0 ? undefined : { thoughts }
      const response = { id, model, finish_reason: stop, call_ids: calls.ids(), kept: extras }
      return { ...toldOf(response, usageIn(usage)), calls: calls.all() }
    },
  }
}
