// Reads the body of an HTTP answer: an event stream, or messages in JSON. The first characters tell which of the two it
// is, because servers send wrong media types.
import type { Heard, Source } from './heard.ts'
import { createTexts } from './texts.ts'

// Reads messages from an event stream (SSE), one in the data of each event. Comments and the names of events are
// skipped. Lines that belong to a message but lack `data:` are taken, too.

const field = /^(data|event|id|retry) *(?:: ?(.*))?$/s

const messagesIn = (data: string): Heard[] => {
  const texts = createTexts()
  const heard = [...texts.hear(data), ...texts.end()]
  return heard.length === 0 && data.trim() !== '' ? [{ other: data }] : heard
}

const createEvents = (): Source => {
  /** The pieces of the line that has not ended. */
  let rest: string[] = []
  let data: string[] = []

  const endEvent = (): Heard[] => {
    const whole = data.join('\n')
    data = []
    return messagesIn(whole)
  }
  const ofLine = (line: string): Heard[] => {
    if (line === '') return endEvent()
    if (line.startsWith(':')) return []
    const [, name, value = ''] = field.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (name === 'id' && value !== '' && !value.includes('\0')) return [{ mark: `id: ${value}` }]
    else if (name === 'retry' && /^\d+$/.test(value)) return [{ mark: `retry: ${value}` }]
    else if (name === undefined && (data.length > 0 || /^\s*[{[]/.test(line))) data.push(line)
    return []
  }

  return {
    hear(text) {
      rest.push(text)
      if (!/[\r\n]/.test(text) && rest.at(-2)?.endsWith('\r') !== true) return []
      // A carriage return at the end may be the first half of a line's end.
      const lines = rest.join('').split(/\r\n|\n|\r(?!$)/)
      rest = [lines.pop() ?? '']
      return lines.flatMap(ofLine)
    },
    end() {
      const last = rest.join('').replace(/\r$/, '')
      rest = []
      return [...(last === '' ? [] : ofLine(last)), ...endEvent()]
    },
    hasBegun: () => data.length > 0 || /^data *:/.test(rest[0] ?? ''),
  }
}

const eventStream = /^(?::|(?:data|event|id|retry) *:)/
/** The first characters of a field of an event stream. */
const undecided = /^[a-z]{0,5} *$/

/** At most this many characters are kept of a body that has no message. */
const longestRest = 64 * 1024

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
      if (source === undefined || begun.length < longestRest) begun += text
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
