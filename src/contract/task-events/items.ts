// The events of an agent's output, streamed or whole.
import Type, { type Static, type TProperties } from 'typebox'
import { Annotation, Logprob } from '../wire.ts'
import { CutEnd } from './model-call.ts'
import { AgentStep, CallId, ItemId, optional } from './schema.ts'

export const ItemKind = Type.Enum(['message', 'reasoning', 'tool_call'])
/** The kinds of text in an item. The only text of a tool call is its `arguments`. */
export const PartKind = Type.Enum(['output_text', 'refusal', 'summary_text', 'reasoning_text', 'arguments'])
export type ItemKind = Static<typeof ItemKind>
export type PartKind = Static<typeof PartKind>
export type TextItemKind = Exclude<ItemKind, 'tool_call'>
export type TextPartKind = Exclude<PartKind, 'arguments'>
/** An item that is not finished, with the number of its parts. Without parts, it is a tool call. */
export const OpenItem = Type.Object({ item_id: ItemId, parts: Type.Integer() })
export type OpenItem = Static<typeof OpenItem>
const NamedCall = Type.Object({ call_id: CallId, name: Type.String() })

/** The call of a model that says the item; absent: the step says it. */
const ofModel = optional(Type.String())

export const itemEvents = {
  /** More text of a part. `item` is present when the text opens the item, `first` when it opens the part. */
  ItemDelta: {
    agent_step: AgentStep,
    effect_id: ofModel,
    item_id: ItemId,
    content_index: Type.Integer(),
    item: optional(ItemKind),
    part: PartKind,
    first: optional(Type.Literal(true)),
    call: optional(NamedCall),
    delta: Type.String(),
    logprobs: optional(Type.Array(Logprob)),
    /** Sources of the text of the part so far. */
    annotations: optional(Type.Array(Annotation)),
  },
  /**
   * An item is finished. `item` is present for a tool call, because its arguments are not a part. `cut_off`: the answer
   * ended here without being whole, for this reason.
   */
  ItemCompleted: {
    agent_step: AgentStep,
    effect_id: ofModel,
    item_id: ItemId,
    parts: Type.Integer(),
    item: optional(ItemKind),
    cut_off: optional(CutEnd),
  },
  /** A whole item that was not streamed. `texts` are its parts in order; `call` names a tool call. */
  ItemSaid: {
    agent_step: AgentStep,
    item_id: ItemId,
    item: ItemKind,
    part: PartKind,
    texts: Type.Array(Type.String()),
    call: optional(NamedCall),
  },
} satisfies Record<string, TProperties>
