// Writes a plan as the stream of an endpoint of chat completions.
import { delta } from '../../support/fake-model.ts'
import { type Plan, type Scheme, schemes } from './plan.ts'

/** A piece of a call. `call`: the number of the call in the plan. */
export type Part = { call: number; name?: string; text: string }
/** What an event says to a careful reader. `lives`: it is a sign of life. */
export type Says = {
  thought?: string
  text?: string
  part?: Part
  finish?: string
  done?: true
  error?: true
  lives?: true
}
/** `data`: its data; undefined: it has none. `written`: the event in the stream. */
export type Event = { says: Says; data?: string; written: string }

/** A text in pieces, cut at these places, also within pairs of surrogates. */
const inPieces = (text: string, cuts: number[]): string[] => {
  const at = [...new Set(cuts.map(cut => Math.floor(cut * text.length)))].sort((a, b) => a - b)
  return [0, ...at].map((from, n) => text.slice(from, at[n] ?? text.length)).filter(piece => piece !== '')
}

type Piece = { says: Part; fields: object }
/** The pieces of one call, with the fields by which the endpoint tells it from others. */
const piecesOf = (scheme: Scheme, call: number, name: string, texts: string[]): Piece[] => {
  const last = texts.length - 1
  return texts.map((text, n) => {
    const [isFirst, isLast] = [n === 0, n === last]
    const [index, id] = [{ index: call }, { id: `call_${call}` }]
    const named = {
      name,
      isNamed: scheme === 'a name in the last piece' ? isLast : isFirst || scheme === 'a name in each piece',
    }
    const own: Record<Scheme, object> = {
      'numbers and ids': isFirst ? { ...index, ...id } : index,
      'numbers as texts': { index: `${call}`, ...(isFirst ? id : { id: null }) },
      'numbers alone': index,
      'an id in each piece': id,
      'an id in the first piece': isFirst ? id : {},
      'names alone': {},
      'only zeros': { index: 0, ...(isFirst ? id : { id: '' }) },
      'another id in each piece': { ...index, id: `call_${call}_${n}` },
      'one id for all calls': { ...index, id: 'call' },
      'an id in the last piece': isLast ? { ...index, ...id } : index,
      'a name in the last piece': index,
      'a name in each piece': { ...index, ...id },
      'a placeholder first': { ...index, ...(isFirst ? id : {}) },
    }
    const called = { ...(named.isNamed ? { name } : {}), arguments: text }
    return {
      says: { call, text, ...(named.isNamed ? { name } : {}) },
      fields: { ...own[scheme], function: called },
    }
  })
}

const callPieces = ({ calls, scheme, cuts, weave }: Plan): Piece[] => {
  const { woven } = schemes[scheme]
  const queues = calls.map(({ name, more }, call) => {
    // Where only names tell calls apart, nobody can tell a call without arguments from the beginning of one.
    const text = more === null && woven ? '' : JSON.stringify({ call, more })
    const texts = inPieces(text, cuts)
    const first = scheme === 'a placeholder first' && text !== '' ? ['{}'] : cuts.length % 2 === 0 ? [''] : []
    return piecesOf(scheme, call, name, texts.length === 0 ? [''] : [...first, ...texts])
  })
  const pieces: Piece[] = []
  const turns = woven ? [...weave] : []
  while (queues.some(({ length }) => length > 0)) {
    const full = queues.filter(({ length }) => length > 0)
    const queue = full[(turns.shift() ?? 0) % full.length]
    pieces.push(queue?.shift() as Piece)
  }
  return pieces
}

const jsonOf = (value: object, { json }: Plan): string => {
  const more =
    json === 'more fields'
      ? { id: 'c', object: 'chat.completion.chunk', model: 'm', service_tier: null, ...value }
      : value
  const text = JSON.stringify(more, undefined, json === 'spaced' || json === 'lines' ? 1 : undefined)
  if (json === 'spaced') return text.replaceAll('\n', ' ')
  if (json !== 'escaped') return text
  return text.replace(/[^ -~]/g, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const extras: Record<Plan['extra'][number]['what'], { says: Says; lines: string[] }> = {
  comment: { says: {}, lines: [': a comment'] },
  empty: { says: {}, lines: ['data:'] },
  'no choices': { says: {}, lines: ['data: {"choices":[]}'] },
  name: { says: {}, lines: ['event: ping', 'id: 7'] },
  retry: { says: {}, lines: ['retry: 10'] },
  'nothing said': { says: { lives: true }, lines: ['data: {"choices":[{"delta":{}}]}'] },
  garbage: { says: { error: true }, lines: ['data: {"choices":[{"del'] },
  error: { says: { error: true }, lines: ['data: {"error":{"message":"overloaded"}}'] },
}

/** The events of a plan in order. */
export const eventsOf = (plan: Plan): Event[] => {
  const { newline, space, finish, isWithLast } = plan
  const event = (says: Says, data: string): Event => {
    const lines = data.split('\n').map(line => `data:${space}${line}`)
    return { says, data, written: [...lines, '', ''].join(newline) }
  }
  const said: { says: Says; given: Record<string, unknown> }[] = [
    ...inPieces(plan.thought, plan.cuts).map(thought => ({
      says: { thought },
      given: { reasoning_content: thought },
    })),
    ...inPieces(plan.text, plan.cuts).map(text => ({ says: { text }, given: { content: text } })),
    ...callPieces(plan).map(({ says, fields }) => ({
      says: { part: says },
      given: { tool_calls: [fields] },
    })),
  ]
  if (finish !== null && (said.length === 0 || !isWithLast)) said.push({ says: {}, given: {} })
  let events = said.map(({ says, given }, n) => {
    const isEnd = finish !== null && n === said.length - 1
    return event(
      { ...says, lives: true, ...(isEnd ? { finish } : {}) },
      jsonOf(delta(given, isEnd ? finish : null), plan),
    )
  })
  if (schemes[plan.scheme].doubled) {
    const twice = plan.doubled.map(at => Math.floor(at * events.length))
    events = events.flatMap((each, n) => (twice.includes(n) ? [each, each] : [each]))
  }
  if (plan.usage) events.push(event({}, '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}'))
  for (const { at, what } of plan.extra) {
    const { says, lines } = extras[what]
    const data = lines.find(line => line.startsWith('data'))?.replace(/^data: ?/, '')
    const extra = { says, ...(data === undefined ? {} : { data }), written: [...lines, '', ''].join(newline) }
    events.splice(Math.floor(at * (events.length + 1)), 0, extra)
  }
  if (plan.done) events.push(event({ done: true }, '[DONE]'))
  return events
}
