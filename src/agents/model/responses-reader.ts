// Turns the events of an endpoint of Responses, or its whole answer, into texts and calls.

import type { Logprob, Usage } from '../../contract/wire.ts'
import { gap, type ResponsesExtras, type ResponsesThought } from '../../model-requests/responses/extras.ts'
import { toldOf } from './answer-facts.ts'
import { createCalls } from './calls.ts'
import type { Heard } from './endpoint.ts'
import { type Fields, fieldsOf, jsonOf, listOf, logprobsOf, nameOf, wordOf } from './endpoint-values.ts'
import { ModelLost } from './failures.ts'
import { createItemPlaces } from './item-places.ts'
import type { Message, Reader } from './reader.ts'
import { reasonIn, reasonInStream } from './reasons.ts'
import { createSources, sourcesOf } from './sources.ts'
import { errorIn, failureIn } from './stream-errors.ts'
import { usageOf } from './usage.ts'

const usageIn = (given: Fields): Usage | undefined =>
  usageOf({
    input: given.input_tokens,
    output: given.output_tokens,
    total: given.total_tokens,
    cached: fieldsOf(given.input_tokens_details).cached_tokens,
    reasoning: fieldsOf(given.output_tokens_details).reasoning_tokens,
  })

/**
 * An item of the output. `isBegun`: some of its text or arguments were heard. `isDone`: its end was heard. `lengths`:
 * of the parts of its text so far; `part`: the number of the newest one. `raw`: the text is no summary.
 */
type Item = {
  isBegun: boolean
  isDone: boolean
  lengths: number[]
  part: unknown
  raw: boolean
  hasSources: boolean
}
type TextKind = 'text' | 'reasoning' | 'refusal'

/** The texts in a whole item. `part`: the number of the part. `raw`: reasoning that is no summary. */
const textsIn = ({ type, content, summary }: Fields) => {
  const of = (list: unknown, raw: boolean) =>
    listOf(list).map((value, part) => {
      const given = fieldsOf(value)
      const kind: TextKind =
        type === 'reasoning' ? 'reasoning' : given.type === 'refusal' ? 'refusal' : 'text'
      const text = wordOf(kind === 'refusal' ? given.refusal : given.text)
      return { kind, text, part, raw: raw && kind === 'reasoning', given }
    })
  return [...of(summary, false), ...of(content, true)]
}

export const createResponsesReader = (): Reader => {
  const calls = createCalls()
  const places = createItemPlaces()
  const thoughts: ResponsesThought[] = []
  const phases: (string | null)[] = []
  const items = new Map<unknown, Item>()
  const sources = createSources()
  let id: string | undefined
  let model: string | undefined
  let end: string | undefined
  let usage: Usage | undefined

  /** The item of an event. Its beginning may have been left out. */
  const itemAt = (index: unknown): Item => {
    const known = items.get(index)
    if (known !== undefined) return known
    const item = {
      ...{ isBegun: false, isDone: false, lengths: [], part: undefined },
      ...{ raw: false, hasSources: false },
    }
    items.set(index, item)
    return item
  }

  const say = (
    item: Item,
    kind: TextKind,
    text: string,
    part: unknown,
    logprobs: Logprob[] = [],
  ): Heard[] => {
    if (text === '') return []
    const of = kind === 'reasoning' ? 'reasoning' : 'message'
    const opens = !item.isBegun && places.isOpen(of)
    const isNext = item.isBegun && item.part !== part && kind === 'reasoning'
    item.isBegun = true
    if (item.part !== part || item.lengths.length === 0) item.lengths.push(0)
    item.part = part
    item.lengths.push((item.lengths.pop() ?? 0) + text.length)
    const said = isNext ? `${gap}${text}` : text
    return sources.on(
      places.hear([
        {
          kind,
          text: said,
          ...(opens ? { opens: true as const } : {}),
          ...(logprobs.length === 0 ? {} : { logprobs }),
        },
      ]),
    )
  }
  const sayAll = (item: Item, given: Fields): Heard[] =>
    textsIn(given).flatMap(({ kind, text, part, raw, given: { logprobs } }) => {
      if (raw) item.raw = true
      return say(item, kind, text, part, logprobsOf({ content: logprobs }))
    })
  const cite = (item: Item, annotations: unknown): Heard[] => {
    item.hasSources = true
    return sources.hear(sourcesOf(annotations))
  }
  const call = (index: unknown, fields: Fields): Heard[] => places.hear(calls.hear([{ index, ...fields }]))

  const beginItem = (index: unknown, given: Fields): Heard[] => {
    items.delete(index)
    itemAt(index)
    if (given.type !== 'function_call') return []
    return call(index, { id: given.call_id, function: { name: given.name } })
  }

  const noteThought = (item: Item, given: Fields) => {
    const [own, sealed] = [nameOf(given.id), wordOf(given.encrypted_content)]
    // Without its encrypted content the endpoint would look for the item, which it has not stored.
    if (sealed === '' && !item.raw) return
    thoughts.push({
      ...(item.isBegun ? places.thought() : places.next()),
      ...(own === undefined ? {} : { id: own }),
      ...(sealed === '' ? {} : { sealed }),
      ...(item.lengths.length > 1 ? { lengths: item.lengths } : {}),
      ...(item.raw ? { raw: true as const } : {}),
    })
  }

  /** The end of an item has all of it, which counts if no piece of it came before. */
  const endItem = (index: unknown, given: Fields): Heard[] => {
    const begun = items.has(index) ? [] : beginItem(index, given)
    const item = itemAt(index)
    item.isDone = true
    const rest = item.isBegun ? [] : sayAll(item, given)
    if (!item.hasSources) {
      rest.push(...textsIn(given).flatMap(text => sources.hear(sourcesOf(text.given.annotations))))
    }
    if (given.type === 'reasoning') noteThought(item, given)
    // A message without a text has no item, so it has no place among them.
    if (given.type === 'message' && item.isBegun) phases.push(nameOf(given.phase) ?? null)
    if (given.type !== 'function_call' || item.isBegun) return [...begun, ...rest]
    return [...begun, ...hearArguments(index, jsonOf(given.arguments))]
  }
  const hearArguments = (index: unknown, text: string): Heard[] => {
    if (text !== '') itemAt(index).isBegun = true
    return call(index, { function: { arguments: text } })
  }

  const hearResponse = (response: Fields) => {
    id ??= nameOf(response.id)
    model ??= nameOf(response.model)
    usage = usageIn(fieldsOf(response.usage)) ?? usage
  }
  /** The end of the answer. It has all items, which count if none of them came before. */
  const hearEnd = (response: Fields): Heard[] => {
    hearResponse(response)
    const status = wordOf(response.status)
    const error = fieldsOf(response.error)
    if (status === 'failed' || Object.keys(error).length > 0) {
      throw failureIn(error, reasonIn({ error: response.error ?? 'it did not say why' }) ?? '')
    }
    if (status === 'in_progress' || status === 'queued') {
      throw new ModelLost(`the model's answer is not whole (status: ${status})`)
    }
    const why = nameOf(fieldsOf(response.incomplete_details).reason)
    end = (status === 'incomplete' ? why : undefined) ?? (status || 'completed')
    return items.size > 0
      ? []
      : listOf(response.output).flatMap((item, index) => endItem(index, fieldsOf(item)))
  }

  const hear = ({ event, data }: Message): Heard[] | undefined => {
    const why = reasonInStream(data, event)
    if (why !== undefined) throw failureIn(errorIn(data), why)
    if (data.object === 'response') return hearEnd(data)
    const { output_index: index, delta } = data
    const type = wordOf(data.type) || (event ?? '')
    const response = fieldsOf(data.response)
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
        hearResponse(response)
        return []
      case 'response.output_item.added':
        return beginItem(index, fieldsOf(data.item))
      case 'response.output_item.done':
        return endItem(index, fieldsOf(data.item))
      case 'response.output_text.delta': {
        const logprobs = logprobsOf({ content: data.logprobs })
        return say(itemAt(index), 'text', wordOf(delta), data.content_index, logprobs)
      }
      case 'response.output_text.annotation.added':
        return cite(itemAt(index), [data.annotation])
      case 'response.refusal.delta':
        return say(itemAt(index), 'refusal', wordOf(delta), data.content_index)
      case 'response.reasoning_summary_text.delta':
        return say(itemAt(index), 'reasoning', wordOf(delta), data.summary_index)
      case 'response.reasoning_text.delta':
        itemAt(index).raw = true
        return say(itemAt(index), 'reasoning', wordOf(delta), data.content_index)
      case 'response.function_call_arguments.delta':
        return hearArguments(index, jsonOf(delta))
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        return hearEnd({ status: type.slice('response.'.length), ...response })
      default:
        return type.startsWith('response.') ? [] : undefined
    }
  }

  const extrasOf = (): ResponsesExtras | undefined => {
    const isPhased = phases.some(phase => phase !== null)
    if (thoughts.length === 0 && !isPhased) return undefined
    return { ...(thoughts.length === 0 ? {} : { thoughts }), ...(isPhased ? { phases } : {}) }
  }
  return {
    hear,
    isWhole: ({ object, output }) => object === 'response' && Array.isArray(output),
    progress: () => (end === undefined ? 'going' : 'over'),
    rest: () => places.hear(calls.rest()),
    answer() {
      if (end === undefined && [...items.values()].some(({ isDone }) => !isDone)) {
        throw new ModelLost("the model's answer broke off")
      }
      if (calls.isNameless()) throw new ModelLost('the model called a tool without its name')
      const response = { id, model, finish_reason: end, call_ids: calls.ids(), kept: extrasOf() }
      return { ...toldOf(response, usage), calls: calls.all() }
    },
  }
}
