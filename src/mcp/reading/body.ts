// Reads the body of an HTTP answer: an event stream, or messages in JSON. The first characters tell which of the two it
// is, because servers send wrong media types.
import { createEvents } from './events.ts'
import type { Heard, Source } from './heard.ts'
import { createTexts } from './texts.ts'

const eventStream = /^(?::|(?:data|event|id|retry) *:)/
/** The first characters of a field of an event stream. */
const undecided = /^[a-z]{0,5} *$/

/** At most this many characters are kept of a body that has no message. */
const longestKept = 64 * 1024

const isNoMessage = (heard: Heard): boolean => 'other' in heard

/** A body in JSON that has no message is heard as a whole, at its end. */
export const createBody = (): Source => {
  let begun = ''
  let hasMessage = false
  let isEvents = false
  let source: Source | undefined

  const judged = (heard: Heard[]): Heard[] => {
    const kept = isEvents ? heard : heard.filter(each => !isNoMessage(each))
    hasMessage ||= kept.length > 0
    return kept
  }
  const begin = (): Heard[] => {
    const first = begun.replace(/^[\s\uFEFF]+/, '')
    isEvents = eventStream.test(first)
    source = isEvents ? createEvents() : createTexts()
    return source.hear(first)
  }

  return {
    hear(text) {
      if (source === undefined || begun.length < longestKept) begun += text
      if (source !== undefined) return judged(source.hear(text))
      return undecided.test(begun.replace(/^[\s\uFEFF]+/, '')) ? [] : judged(begin())
    },
    end() {
      const heard = judged([...(source === undefined ? begin() : []), ...(source?.end() ?? [])])
      return hasMessage || isEvents || begun.trim() === '' ? heard : [{ other: begun }]
    },
    hasBegun: () => source?.hasBegun() ?? false,
  }
}
