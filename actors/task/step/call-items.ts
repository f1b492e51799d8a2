// Turns the calls of an agent step into events. A call comes whole or bit by bit; the server gives each call its ids.
import type { CutEnd } from '../../../src/contract/events/task-events.ts'
import { isWholeJson } from '../../../src/contract/json/whole-json.ts'
import { isShort, type StepDraft } from './step-draft.ts'
import { closeText } from './text-items.ts'

/** Adds text to the arguments of a call. `key`: the agent's own name for the call. */
export const addArguments = (draft: StepDraft, key: string, name: string, text: string): void => {
  let known = draft.openCalls.get(key)
  const opens = known === undefined
  if (known === undefined) {
    closeText(draft)
    const { ids } = draft
    known = { itemId: ids.next('tc_'), call: { callId: ids.next('call_'), name, arguments: '' } }
    draft.openCalls.set(key, known)
    draft.calls.push(known.call)
  }
  const { itemId, call } = known
  call.arguments += text
  const last = draft.events.at(-1)
  if (!opens && last?.type === 'ItemDelta' && last.data.item_id === itemId && isShort(last.data)) {
    last.data.delta += text
    return
  }
  draft.events.push({
    type: 'ItemDelta',
    data: {
      agent_step: draft.agentStep,
      item_id: itemId,
      content_index: 0,
      part: 'arguments',
      ...(opens ? { item: 'tool_call', first: true as const, call: { call_id: call.callId, name } } : {}),
      delta: text,
    },
  })
}

/** Adds a call that the agent sent whole. */
export const addWholeCall = (draft: StepDraft, name: string, text: string): void => {
  closeText(draft)
  const call = { call_id: draft.ids.next('call_'), name }
  draft.calls.push({ callId: call.call_id, name, arguments: text })
  draft.events.push({
    type: 'ItemSaid',
    data: {
      agent_step: draft.agentStep,
      item_id: draft.ids.next('tc_'),
      item: 'tool_call',
      part: 'arguments',
      texts: [text],
      call,
    },
  })
}

/**
 * Completes the calls in the order in which they were opened. `reason`: the answer was cut, so its calls are not made.
 * Beside a call that was cut for its length, calls with whole arguments are.
 */
export const closeCalls = (draft: StepDraft, reason?: CutEnd): void => {
  const { agentStep, calls, openCalls } = draft
  for (const { itemId, call } of openCalls.values()) {
    const isWhole = reason === undefined || (reason === 'length' && isWholeJson(call.arguments))
    if (!isWhole) calls.splice(calls.indexOf(call), 1)
    const data = { agent_step: agentStep, item_id: itemId, parts: 0, item: 'tool_call' as const }
    draft.events.push({
      type: 'ItemCompleted',
      data: { ...data, ...(isWhole ? {} : { cut_off: reason }) },
    })
  }
  openCalls.clear()
}
