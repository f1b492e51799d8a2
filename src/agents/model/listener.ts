// Parses an event stream into chunks. The network may cut the text anywhere.
import { createParser } from 'eventsource-parser'
import { createLikeness } from './alike.ts'
import type { Chunk } from './chunks.ts'

/** `error`: why the data after the chunks cannot be read as a chunk. `done`: the endpoint has ended its answer. */
type Heard = { chunks: Chunk[]; error?: unknown; done: boolean }

const endOfEvent = '\n\n'
/** One text is searched at most this often for a run of similar events. A search that finds none only costs time. */
const runsAtMost = 2

export const createListener = (chunkOf: (data: string) => Chunk) => {
  const likeness = createLikeness()
  let heard: Heard = { chunks: [], done: false }
  /** Whether the parser has got only whole events. */
  let isWhole = true

  const onEvent = ({ data }: { data: string }) => {
    if (heard.done || heard.error !== undefined) return
    if (data.trim() === '[DONE]') {
      heard.done = true
      return
    }
    try {
      const chunk = chunkOf(data)
      likeness.learn(data, chunk)
      heard.chunks.push(chunk)
    } catch (error) {
      heard.error = error
    }
  }
  const parser = createParser({ onEvent })

  const more = (text: string): Heard => {
    heard = { chunks: [], done: false }
    let runs = 0
    for (let rest = text; rest !== '' && heard.error === undefined && !heard.done; ) {
      const run = isWhole && runs++ < runsAtMost ? likeness.runIn(rest) : undefined
      if (run !== undefined) {
        heard.chunks.push(run.chunk)
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
    rest(): Heard {
      if (isWhole) return { chunks: [], done: false }
      return more(endOfEvent)
    },
  }
}
