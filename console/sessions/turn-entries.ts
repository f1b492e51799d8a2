// Makes the entries of a conversation from the items of a task object.
import { isTerminal } from '../../src/contract/wire/task-status.ts'
import type { OutputItem } from '../../src/contract/wire.ts'
import { callStateOf } from '../task/call-state.ts'
import { type ItemEntry, noCall, resultsIn } from '../task/entries.ts'
import type { Turn } from './read-session.ts'

export const agentOf = ({ task }: Turn): string => String(task.metadata?.agent ?? 'agent')

/** The names of all speakers in these tasks. */
export const speakersOf = (turns: readonly Turn[]): string[] => {
  const namesIn = ({ task }: Turn) =>
    task.output.flatMap(item => (item.type === 'message' && item.name !== undefined ? [item.name] : []))
  return [...new Set(turns.flatMap(turn => [agentOf(turn), ...namesIn(turn)]))]
}

export const entriesOf = (turn: Turn): ItemEntry[] => {
  const { output, metadata, status } = turn.task
  const agent = agentOf(turn)
  const results = resultsIn(output)
  const pending = (metadata?.pending_inputs ?? []) as readonly { call_id: string }[]
  const waiting = new Set(pending.map(({ call_id }) => call_id))
  const stateOf = (id: string): Pick<ItemEntry, 'result' | 'state' | 'isWaiting'> => {
    const [result, isWaiting] = [results.get(id), waiting.has(id)]
    const isOpen = result === undefined && !isWaiting && !isTerminal(status)
    return {
      result,
      isWaiting,
      state: isOpen ? 'running' : callStateOf({ result, isWaiting, span: undefined }),
    }
  }
  const entryOf = (item: OutputItem, n: number): ItemEntry[] => {
    if (item.type === 'tool_result') return []
    const call = item.type === 'tool_call' ? stateOf(item.call_id) : {}
    return [{ key: item.id ?? `${n}`, item, agent, ...noCall, ...call }]
  }
  return output.flatMap(entryOf)
}
