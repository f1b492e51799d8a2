// Reads messages from an event stream (SSE), one in the data of each event. Comments and the names of events are
// skipped. Lines that belong to a message but lack `data:` are taken, too.
import type { Heard, Source } from './heard.ts'
import { createTexts } from './texts.ts'

const field = /^(data|event|id|retry) *(?:: ?(.*))?$/s

const messagesIn = (data: string): Heard[] => {
  const texts = createTexts()
  const heard = [...texts.hear(data), ...texts.end()]
  return heard.length === 0 && data.trim() !== '' ? [{ other: data }] : heard
}

export const createEvents = (): Source => {
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
