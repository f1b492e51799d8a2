// The part of a task's view with its output: its items in order. A changed item is a new object, so a task object or a
// frame that was made earlier stays as it was.
import type { CutEnd, ItemKind, OpenItem, TaskEventData } from '../../contract/events/task-events.ts'
import type { OutputItem } from '../../contract/wire.ts'
import { emptyItem, type NamedCall, resultItem, withDelta, withTexts } from '../items.ts'
import { withRest } from '../said.ts'
import type { Course } from './course.ts'
import type { Part } from './part.ts'

export type Output = {
  output: OutputItem[]
  indexOf: Map<string, number>
  /** `saidItems`: the items of the current step so far; `stepItems`: the items of the newest completed step. */
  saidItems: string[]
  stepItems: string[]
  /** Items that ended without being whole, each with the reason. */
  cutOff: Map<string, CutEnd>
}

export const itemOf = (view: Output, id: string): OutputItem => {
  const item = view.output[view.indexOf.get(id) ?? -1]
  if (item === undefined) throw new Error(`there is no item ${id}`)
  return item
}
/** An item of the agent that has just begun. A speaker of a group chat has its name on its messages. */
const begunItem = (view: Course, id: string, item: ItemKind, call?: NamedCall): OutputItem => {
  const begun = emptyItem(id, item, call)
  const name = view.created?.turn?.name
  return begun.type === 'message' && name !== undefined ? { ...begun, name } : begun
}
const addItem = (view: Output, id: string, item: OutputItem) => {
  view.indexOf.set(id, view.output.length)
  view.output.push(item)
}
const replaceItem = (view: Output, id: string, item: OutputItem) => {
  view.output[view.indexOf.get(id) ?? -1] = item
}
/** The text that a running call has streamed. It is the text of the item until the result replaces that item. */
const saidBy = (view: Output, id: string): string => {
  const item = itemOf(view, id)
  return item.type === 'tool_result' && typeof item.message_content === 'string' ? item.message_content : ''
}

/** The items of the newest step that ended without being whole. */
export const cutOffNow = ({ stepItems, saidItems, cutOff }: Output): string[] =>
  [...stepItems, ...saidItems].filter(id => cutOff.has(id))

/** Whether a delta begins a part of an item. The arguments of a call are no part. */
export const opensPart = ({ first, part }: TaskEventData<'ItemDelta'>): boolean =>
  first === true && part !== 'arguments'

const cutItems = (view: Output, items: readonly OpenItem[]) => {
  for (const { item_id: id } of items) {
    replaceItem(view, id, { ...itemOf(view, id), status: 'incomplete' })
    view.cutOff.delete(id)
  }
}

export const output: Part<Output, Course> = {
  begin(view) {
    view.output = []
    view.indexOf = new Map()
    view.saidItems = []
    view.stepItems = []
    view.cutOff = new Map()
  },
  folds: {
    ItemDelta(view, { effect_id, item_id: id, item, call, part, content_index, delta, ...more }) {
      if (item !== undefined) {
        addItem(view, id, begunItem(view, id, item, call))
        if (effect_id === undefined) view.saidItems.push(id)
      }
      replaceItem(view, id, withDelta(itemOf(view, id), part, content_index, delta, more))
    },
    ItemCompleted(view, { item_id: id, cut_off }) {
      replaceItem(view, id, { ...itemOf(view, id), status: cut_off ? 'incomplete' : 'completed' })
      if (cut_off !== undefined) view.cutOff.set(id, cut_off)
    },
    ItemSaid(view, { item_id: id, item, part, texts, call }) {
      const whole = withTexts(begunItem(view, id, item, call), part, texts)
      addItem(view, id, { ...whole, status: 'completed' } as OutputItem)
      view.saidItems.push(id)
    },
    AgentStepCompleted(view) {
      view.stepItems = view.saidItems
      view.saidItems = []
    },
    AgentStepAbandoned(view, { items }) {
      cutItems(view, items)
      view.saidItems = []
    },
    // The item of a call shows the arguments with which the call runs.
    ApprovalDecided(view, { item_id: id, arguments: given }) {
      if (given === undefined) return
      const item = itemOf(view, id)
      if (item.type === 'tool_call') replaceItem(view, id, { ...item, arguments: given })
    },
    EffectSaid(view, { item_id: id, call_id, first, delta }) {
      const text = first === true ? delta : saidBy(view, id) + delta
      const item = { ...resultItem(id, call_id, 'incomplete', text), status: 'in_progress' as const }
      if (first === true) addItem(view, id, item)
      else replaceItem(view, id, item)
    },
    EffectCut(view, { item_id, items = [] }) {
      cutItems(view, item_id === undefined ? items : [{ item_id, parts: 0 }])
    },
    EffectCompleted(view, { item_id: id, call_id, status, said, content, blocks, turn }) {
      if (turn === true || id === undefined) return
      const whole = said === true ? withRest(saidBy(view, id), content) : content
      const item = resultItem(id, call_id, status, whole, blocks)
      if (said === true) replaceItem(view, id, item)
      else addItem(view, id, item)
    },
    GroupChatMessage(view, { message_id: id, role, name, content }) {
      const isText = role === 'assistant' && typeof content === 'string'
      const message_content = isText ? [{ type: 'output_text' as const, text: content }] : content
      addItem(view, id, { type: 'message', id, status: 'completed', role, name, message_content })
    },
    InputAccepted(view, { item }) {
      if (item.type === 'tool_result') addItem(view, item.id ?? '', item)
    },
  },
}
