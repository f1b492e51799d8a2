// What a careful reader takes of a stream that it can look at at leisure: the events that arrived whole, and what they say.
import type { Plan } from './plan.ts'
import type { Event, Part, Says } from './write.ts'

/** The bytes that arrive, and how they end. `silent`: nothing follows, and nobody says so. */
export type Arrived = { length: number; end: 'end' | 'break' | 'silent' }
export type Expected = {
  text: string
  thought: string
  /** The calls that run, as `name arguments`; none when the answer is asked for again. */
  runs: string[]
  /** Whether the answer is asked for again. */
  again: boolean
}

/** For this many milliseconds a reader waits for more, after the reason for which the answer has ended. */
const lastWordsMs = 2000

const isWhole = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The events that arrive, and the beginning of the one that is cut. */
const arriving = (events: Event[], before: number, { length, end }: Arrived): Says[] => {
  let at = before
  const whole: Says[] = []
  for (const { says, data, written } of events) {
    const begin = at
    at += Buffer.byteLength(written)
    if (at <= length) {
      whole.push(says)
      continue
    }
    if (end === 'end' && begin < length) {
      const lines = Buffer.from(written)
        .subarray(0, length - begin)
        .toString()
        .split(/\r\n|\r|\n/)
      const there = lines.flatMap(line => /^data: ?(.*)$/s.exec(line)?.[1] ?? []).join('\n')
      if (there === data || isWhole(there)) whole.push(says)
      else if (there.trim() !== '') whole.push({ error: true })
    }
    break
  }
  return whole
}

/** The calls that these pieces make, each as far as it came. */
const callsOf = (parts: Part[]): { name?: string | undefined; text: string }[] => {
  const calls = new Map<number, { name?: string | undefined; text: string }>()
  for (const { call, name, text } of parts) {
    const known = calls.get(call) ?? { text: '' }
    const isPlaceholder = known.text === '{}' && text.startsWith('{')
    const isTwice = known.text === text && known.text.length > 2 && isWhole(text)
    calls.set(call, {
      name: known.name ?? name,
      text: isTwice ? text : isPlaceholder ? text : known.text + text,
    })
  }
  return [...calls.values()]
}

/** What of a stream a reader hears who stops at the first error, or when the end is said. */
const heardOf = (events: Says[]) => {
  const heard = {
    text: '',
    thought: '',
    parts: [] as Part[],
    finish: undefined as string | undefined,
    done: false,
    error: false,
  }
  for (const { text = '', thought = '', part, finish, done, error } of events) {
    if (error || done) {
      if (error) heard.error = true
      else heard.done = true
      break
    }
    heard.text += text
    heard.thought += thought
    if (part !== undefined) heard.parts.push(part)
    heard.finish ??= finish
  }
  return heard
}

export const expectedOf = (plan: Plan, events: Event[], arrived: Arrived): Expected => {
  const before = Buffer.byteLength(plan.first)
  const heard = heardOf(arriving(events, before, arrived))
  const { text, thought, finish } = heard
  const calls = callsOf(heard.parts)
  const isSaidWhole = finish !== undefined || (heard.done && !heard.error)
  const isNothing = text === '' && thought === '' && calls.length === 0
  const isOrderly = arrived.end === 'end' && !heard.error && calls.length === 0 && !isNothing
  const isNameless = calls.some(call => call.name === undefined && call.text !== '')
  const again = isNameless || !(isSaidWhole || isOrderly) || (finish === undefined && isNothing)
  const isCut = finish === 'content_filter' || finish === 'error'
  const isShort = finish === 'length' // a call without arguments may have lost them
  const made = calls.filter(
    ({ name, text }) => name !== undefined && (text === '' ? !isShort : isWhole(text)),
  )
  const runs = again || isCut ? [] : made.map(call => `${call.name} ${call.text || '{}'}`)
  return { text, thought, runs: runs.sort(), again }
}

/** How long a reader waits at most in a pause at this place, which it takes for the end if it is longer. */
export const patienceAt = (plan: Plan, events: Event[], length: number, limitMs: number): number => {
  const before = Buffer.byteLength(plan.first)
  const heard = heardOf(arriving(events, before, { length, end: 'silent' }))
  return heard.finish === undefined ? limitMs : Math.min(limitMs, lastWordsMs)
}
