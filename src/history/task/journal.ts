// The part of a task's view with the journal of an agent's code: what the code has asked for, and the results in the order in
// which they were stored. A host that runs the code again gets both (docs/agent-protocol.md).
import type { EntryError, EntryResult, ModelAsk } from '../../contract/code-agent.ts'
import type { StoredEntry, StoredMachine, TaskEventData } from '../../contract/events/task-events.ts'
import { readJson } from '../../contract/json/exact-json.ts'
import { plainText } from '../../contract/plain-text.ts'
import type { OutputItem, ToolResultItem } from '../../contract/wire.ts'
import type { Calls } from './calls.ts'
import type { Messages } from './messages.ts'
import { millisOf } from './millis.ts'
import { itemOf, type Output } from './output.ts'
import type { Part } from './part.ts'

export type Entry = StoredEntry & {
  n: number
  /** The items of a call of a model. */
  items: string[]
  /** How many results there were when the newest run of the call began. */
  seen: number
  /** What the model's endpoint said about its answer, and the answer of a silent call. */
  model: TaskEventData<'EffectCompleted'>['model']
}

export type Journal = {
  entries: Entry[]
  results: EntryResult[]
  /** The number of the entry that made a call, by the id of the call. */
  entryOf: Map<string, number>
  /** The newest state of the agent's statechart, with the chart. */
  machine: StoredMachine | undefined
}

/** The answer of a model's call. */
export type ModelValue = {
  text: string
  calls: { call_id: string; name: string; arguments: string }[]
  value?: unknown
}

const jsonOf = (text: string): unknown => {
  try {
    return readJson(text)
  } catch {
    return undefined
  }
}

/** The answer that the items of a call of a model hold. */
const modelValue = (items: OutputItem[], schema: object | undefined): ModelValue => {
  const text = plainText(items.findLast(item => item.type === 'message')?.message_content ?? '')
  const calls = items.flatMap(item =>
    item.type === 'tool_call' && item.status === 'completed'
      ? [{ call_id: item.call_id, name: item.name, arguments: item.arguments }]
      : [],
  )
  return { text, calls, ...(schema === undefined || calls.length > 0 ? {} : { value: jsonOf(text) }) }
}

/** The value of a call that has an item with its result. */
const resultValue = (
  { do: what }: Entry,
  { message_content: content, block_list: blocks }: ToolResultItem,
) => {
  const text = plainText(content)
  if (what === 'tool') return { text, content, blocks }
  const value = jsonOf(text)
  return { text, content, ...(value === undefined ? {} : { value }) }
}

type Seen = Journal & Calls & Output & Messages
type Completed = TaskEventData<'EffectCompleted'>

const errorOf = (entry: Entry, { error, content, effect_id }: Completed): EntryError => {
  const kind = effect_id === undefined ? 'refused' : (entry.do as EntryError['kind'])
  return { kind, message: plainText(content), ...error }
}

const completedValue = (view: Seen, entry: Entry, data: Completed): unknown => {
  const { item_id, content, message, child, bare } = data
  if (entry.do === 'model' && bare && content === '') {
    const { schema } = entry.ask as unknown as ModelAsk
    return modelValue(
      entry.items.map(id => itemOf(view, id)),
      schema,
    )
  }
  if (message !== undefined) {
    const said = view.messages.find(({ id }) => id === message)
    const event = said?.event === undefined ? {} : { event: said.event }
    return { id: message, text: plainText(said?.content ?? ''), content: said?.content ?? '', ...event }
  }
  if (bare || item_id === undefined) return jsonOf(plainText(content)) ?? null
  const value = resultValue(entry, itemOf(view, item_id) as ToolResultItem)
  return entry.do === 'agent' ? { text: value.text, task: child?.stream.slice('task-'.length) } : value
}

const entryWith = (view: Journal, callId: string): Entry | undefined => {
  const n = view.entryOf.get(callId)
  return n === undefined ? undefined : view.entries[n - 1]
}

/** A state names its chart only when the chart is new. */
export const withChart = (now: StoredMachine, before: StoredMachine | undefined): StoredMachine =>
  before?.chart === undefined ? now : { chart: before.chart, ...now }

const addItem = (view: Journal, effectId: string | undefined, itemId: string): void => {
  if (effectId !== undefined) entryWith(view, effectId)?.items.push(itemId)
}

export const journal: Part<Journal, Calls & Output & Messages> = {
  begin(view) {
    view.entries = []
    view.results = []
    view.entryOf = new Map()
    view.machine = undefined
  },
  folds: {
    AgentStepCompleted(view, { journal: asked = [], machine }) {
      for (const entry of asked) {
        const n = view.entries.length + 1
        view.entries.push({ ...entry, n, items: [], seen: 0, model: undefined })
        if (entry.call_id !== undefined) view.entryOf.set(entry.call_id, n)
      }
      if (machine !== undefined) view.machine = withChart(machine, view.machine)
    },
    ItemDelta(view, { effect_id, item, item_id }) {
      if (item !== undefined) addItem(view, effect_id, item_id)
    },
    EffectIntended(view, { call_id }) {
      const entry = entryWith(view, call_id)
      if (entry !== undefined) entry.seen = view.results.length
    },
    EffectCut(view, { call_id, items = [] }) {
      const entry = entryWith(view, call_id)
      const cut = new Set(items.map(({ item_id }) => item_id))
      if (entry !== undefined) entry.items = entry.items.filter(id => !cut.has(id))
    },
    EffectCompleted(view, data, { time }) {
      const entry = entryWith(view, data.call_id)
      if (entry === undefined) return
      entry.model = data.model
      const at = data.original_at ?? millisOf(time)
      const result =
        data.status === 'completed'
          ? { value: completedValue(view, entry, data) }
          : { error: errorOf(entry, data) }
      view.results.push({ n: entry.n, at, ...result })
    },
    InputAccepted(view, { item, original_at }, { time }) {
      if (item.type !== 'tool_result') return
      const entry = entryWith(view, item.call_id)
      if (entry === undefined) return
      const at = original_at ?? millisOf(time)
      const { n } = entry
      if (item.status === 'incomplete') {
        const error: EntryError = {
          kind: entry.do as EntryError['kind'],
          message: plainText(item.message_content),
        }
        view.results.push({ n, at, error })
      } else view.results.push({ n, at, value: givenValue(entry, item) })
    },
  },
}

/** The value of a result that a client has given, also for a side effect whose outcome was unknown. */
const givenValue = (entry: Entry, item: ToolResultItem): unknown =>
  entry.do === 'run' || entry.do === 'env'
    ? (jsonOf(plainText(item.message_content)) ?? plainText(item.message_content))
    : resultValue(entry, item)
