// The output of an agent step so far: the events that are not stored yet, and the items that are still open.
import type { AskedTurn } from '../../../src/contract/agent.ts'
import type { StepEvent } from '../../../src/contract/commands/commands.ts'
import type { TextItemKind, TextPartKind } from '../../../src/contract/events/task-events.ts'
import type { Ids } from '../../../src/contract/ports.ts'

/** A delta with this many characters is full. More text goes into another delta. */
export const deltaCharacters = 2048
export const isShort = ({ delta }: { delta: string }): boolean => delta.length < deltaCharacters

/** A call as the agent said it. `turn`: it is a turn of a group chat. */
export type SaidCall = { callId: string; name: string; arguments: string; turn?: AskedTurn }

/** A message or a reasoning item that may get more text. */
type OpenText = {
  id: string
  item: TextItemKind
  /** The index of each part, by its kind. */
  parts: Map<TextPartKind, number>
}

export type StepDraft = {
  agentStep: number
  ids: Ids
  /** The events that are not stored yet. */
  events: StepEvent[]
  openText: OpenText | undefined
  /** The text of the newest message, in the pieces that came. */
  answer: string[] | undefined
  /** All calls that the step makes. */
  calls: SaidCall[]
  /** Calls that come bit by bit, by the agent's own name for them. */
  openCalls: Map<string, { itemId: string; call: SaidCall }>
}

export const emptyDraft = (agentStep: number, ids: Ids): StepDraft => ({
  agentStep,
  ids,
  events: [],
  openText: undefined,
  answer: undefined,
  calls: [],
  openCalls: new Map(),
})
