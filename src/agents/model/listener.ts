// Parses an event stream into messages. The network may cut the text anywhere.
import { createParser } from 'eventsource-parser'
import { createLikeness } from './alike.ts'
import { messagesIn } from './messages-in.ts'
import type { Message } from './reader.ts'

/** `error`: why the data after the messages cannot be read. `done`: the endpoint has ended its answer. */
type Listened = { messages: Message[]; error?: unknown; done: boolean }

const endOfEvent = '\n\n'
/** One text is searched at most this often for a run of similar events. A search that finds none only costs time. */
const runsAtMost = 2

export const createModelListener = () => {
  const likeness = createLikeness()
  let heard: Listened = { messages: [], done: false }
  /** Whether the parser has got only whole events. */
  let isWhole = true

  const onEvent = ({ data, event }: { data: string; event?: string | undefined }) => {
    if (heard.done || heard.error !== undefined) return
    const isLast = data.trimEnd().endsWith('[DONE]')
    try {
      for (const message of messagesIn(data)) {
        if (event === undefined) likeness.learn(data, message)
        heard.messages.push({ event, data: message })
      }
      heard.done = isLast
    } catch (error) {
      heard.error = error
    }
  }
  /** Lines that are no field of a stream: bytes before the first field, and errors as llama.cpp sent them. */
  const onError = ({
    field = '',
    value = '',
  }: {
    field?: string | undefined
    value?: string | undefined
  }) => {
    if (field === 'error') onEvent({ data: value, event: 'error' })
    else if (/(^|[^\w-])data$/.test(field)) onEvent({ data: value })
  }
  const parser = createParser({ onEvent, onError })

  const more = (text: string): Listened => {
    heard = { messages: [], done: false }
    let runs = 0
    for (let rest = text; rest !== '' && heard.error === undefined && !heard.done; ) {
      const run = isWhole && runs++ < runsAtMost ? likeness.runIn(rest) : undefined
      if (run !== undefined) {
        heard.messages.push({ event: undefined, data: run.data })
        rest = rest.slice(run.length)
        continue
      }
      const end = rest.indexOf(endOfEvent)
      const next = end < 0 || runs >= runsAtMost ? rest : rest.slice(0, end + endOfEvent.length)
      parser.feed(next)
      isWhole = next.endsWith(endOfEvent)
      rest = rest.slice(next.length)
    }
    return heard
  }
  return {
    more,
    /** The last event, when the line that would end it is missing. */
    rest(): Listened {
      if (isWhole) return { messages: [], done: false }
      return more(endOfEvent)
    },
  }
}
