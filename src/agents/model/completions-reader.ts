// Turns the messages of an endpoint of chat completions into texts and calls. Endpoints differ: reasoning has two
// names, is a part of the content, or stands in the text, and usage comes last or never.

import type { Logprob } from '../../contract/wire.ts'
import type { CompletionsExtras, ReasoningPlace } from '../../model-requests/completions/extras.ts'
import { createFacts } from './answer-facts.ts'
import { createCalls } from './calls.ts'
import type { Heard, Progress } from './endpoint.ts'
import { type Fields, fieldsOf, joinedText, listOf, logprobsOf } from './endpoint-values.ts'
import { createExtras, detailText } from './extras.ts'
import { ModelLost } from './failures.ts'
import type { Reader } from './reader.ts'
import { reasonIn, reasonInStream } from './reasons.ts'
import { createSources, sourcesOf } from './sources.ts'
import { failureFor } from './stream-errors.ts'
import { createThinkSplitter } from './think.ts'

/** What the model said in a choice: a piece of it, or the whole message. */
const saidIn = ({ delta, message }: Fields): Fields => {
  const piece = fieldsOf(delta)
  return Object.keys(piece).length > 0 || message === undefined ? piece : fieldsOf(message)
}

/** The pieces of a content that are reasoning, as of Mistral, and the other pieces. */
const contentIn = (content: unknown): { thought: string; text: string } => {
  const isThought = (part: unknown) => fieldsOf(part).type === 'thinking'
  if (!Array.isArray(content)) return { thought: '', text: joinedText(content) }
  const thoughts = content.filter(isThought).map(part => joinedText(fieldsOf(part).thinking))
  return { thought: thoughts.join(''), text: joinedText(content.filter(part => !isThought(part))) }
}

/** The calls in a message. Older endpoints name a single call `function_call`. */
const callsIn = ({ tool_calls, function_call }: Fields): unknown =>
  listOf(tool_calls).length === 0 && Object.keys(fieldsOf(function_call)).length > 0
    ? [{ function: function_call }]
    : tool_calls

export const createCompletionsReader = (): Reader => {
  const splitter = createThinkSplitter()
  const calls = createCalls()
  const extras = createExtras()
  const facts = createFacts()
  let place: ReasoningPlace | undefined
  let probs: Logprob[] = []
  const sources = createSources()

  /** Returns the text of a message. Log probabilities of tokens wait for a piece of text that can carry them. */
  const hearText = (content: string, given: Logprob[]): Heard[] => {
    const said: Heard[] = splitter.hear(content)
    if (said.some(({ kind }) => kind === 'reasoning')) place ??= 'think'
    probs.push(...given)
    const last = said.at(-1)
    if (probs.length === 0 || last?.kind !== 'text') return said
    last.logprobs = probs
    probs = []
    return said
  }

  const thoughtIn = (said: Fields, ofContent: string): string => {
    const found: [ReasoningPlace | undefined, string][] = [
      ['reasoning_content', joinedText(said.reasoning_content)],
      ['reasoning', joinedText(said.reasoning)],
      ['thinking', ofContent],
      [undefined, detailText(said)],
    ]
    const [where, text] = found.find(([, each]) => each !== '') ?? []
    place ??= where
    return text ?? ''
  }

  const extrasOf = (): CompletionsExtras | undefined => {
    const message = extras.fields()
    const further = calls.further()
    const isInDetails = message?.reasoning_details !== undefined
    const all: CompletionsExtras = {
      ...(place === undefined || isInDetails ? {} : { reasoning: place }),
      ...(message === undefined ? {} : { message }),
      ...(further === undefined ? {} : { calls: further }),
    }
    return Object.keys(all).length === 0 ? undefined : all
  }

  return {
    hear({ data, event }) {
      const choice = fieldsOf(listOf(data.choices)[0])
      const why = reasonInStream(data, event) ?? (choice.error ? reasonIn(fieldsOf(choice)) : undefined)
      if (why !== undefined) throw failureFor(why)
      facts.hear(data, choice)
      const said = saidIn(choice)
      extras.hear(said)
      const { thought: ofContent, text } = contentIn(said.content)
      const thought = thoughtIn(said, ofContent)
      const refusal = joinedText(said.refusal)
      const heard: Heard[] = [
        ...(thought === '' ? [] : [{ kind: 'reasoning' as const, text: thought }]),
        ...(text === '' ? [] : sources.on(hearText(text, logprobsOf(choice.logprobs)))),
        ...sources.hear(sourcesOf(said.annotations)),
        ...(refusal === '' ? [] : [{ kind: 'refusal' as const, text: refusal }]),
        ...calls.hear(callsIn(said)),
      ]
      return heard.length === 0 && listOf(data.choices).length === 0 ? undefined : heard
    },
    isWhole: body => Object.keys(fieldsOf(fieldsOf(listOf(body.choices)[0]).message)).length > 0,
    progress: (): Progress => (facts.hasEnded() ? 'ended' : 'going'),
    rest: () => [...splitter.end(), ...calls.rest()],
    answer() {
      if (calls.isNameless()) throw new ModelLost('the model called a tool without its name')
      return { ...facts.told({ call_ids: calls.ids(), kept: extrasOf() }), calls: calls.all() }
    },
  }
}
