// Turns the messages and the reasoning of an agent step into events. Texts that belong together share one item.
import type { StepPart } from '../../../src/contract/agent.ts'
import type { CutEnd, TextItemKind } from '../../../src/contract/events/task-events.ts'
import { isShort, type StepDraft } from './step-draft.ts'

const prefixOf = (item: TextItemKind) => (item === 'message' ? 'msg_' : 'rs_')

/** Completes the open item. `reason`: why the answer ended here without being whole. */
export const closeText = (draft: StepDraft, reason?: CutEnd): void => {
  const { agentStep, openText } = draft
  if (openText === undefined) return
  const cut = reason === undefined ? {} : { cut_off: reason }
  const data = { agent_step: agentStep, item_id: openText.id, parts: openText.parts.size, ...cut }
  draft.events.push({ type: 'ItemCompleted', data })
  draft.openText = undefined
}

/** Adds text. Text of another kind opens another item, and so does text that says so. */
export const addText = (
  draft: StepDraft,
  { item, part, text, logprobs, annotations, opens }: Extract<StepPart, { say: 'delta' }>,
): void => {
  if (text === '' && draft.openText?.item !== item) return // sources of a text that has ended
  if (opens === true || draft.openText?.item !== item) closeText(draft)
  const opensItem = draft.openText === undefined
  draft.openText ??= { id: draft.ids.next(prefixOf(item)), item, parts: new Map() }
  const { id, parts } = draft.openText
  if (item === 'message') {
    if (opensItem || draft.answer === undefined) draft.answer = []
    draft.answer.push(text)
  }
  const known = parts.get(part)
  const last = draft.events.at(-1)
  if (
    known !== undefined &&
    last?.type === 'ItemDelta' &&
    last.data.item_id === id &&
    last.data.part === part &&
    isShort(last.data)
  ) {
    last.data.delta += text
    if (logprobs !== undefined) last.data.logprobs = [...(last.data.logprobs ?? []), ...logprobs]
    if (annotations !== undefined) last.data.annotations = [...(last.data.annotations ?? []), ...annotations]
    return
  }
  // The parts of a message form one list. A reasoning item has two lists of parts: summary and content.
  const content_index = known ?? (item === 'message' ? parts.size : 0)
  parts.set(part, content_index)
  draft.events.push({
    type: 'ItemDelta',
    data: {
      agent_step: draft.agentStep,
      item_id: id,
      content_index,
      ...(opensItem ? { item } : {}),
      part,
      ...(known === undefined ? { first: true as const } : {}),
      delta: text,
      ...(logprobs === undefined ? {} : { logprobs }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  })
}

/** Adds an item that the agent sent whole. */
export const addWholeText = (
  draft: StepDraft,
  { item, part, texts }: Extract<StepPart, { say: 'item' }>,
): void => {
  closeText(draft)
  const item_id = draft.ids.next(prefixOf(item))
  if (item === 'message') draft.answer = texts
  draft.events.push({
    type: 'ItemSaid',
    data: { agent_step: draft.agentStep, item_id, item, part, texts },
  })
}
