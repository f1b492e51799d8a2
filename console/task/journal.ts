// What the code of a user's agent has asked for, and the states of its statechart, each with the event that says so.
import type { StoredEntry, StoredMachine } from '../../src/contract/events/task-events.ts'
import { withChart } from '../../src/history/task/journal.ts'
import type { Event } from './past.ts'

/** `n`: the number of the entry, from 1. `event`: the number of the event in which it is. */
export type Asked = { n: number; entry: StoredEntry; event: number }
/** A state of the statechart. `chart` is present in all of them, if the host tells its chart. */
export type ChartState = { machine: StoredMachine; event: number }

export const createJournal = () => {
  const entries: Asked[] = []
  const states: ChartState[] = []
  const byCall = new Map<string, Asked>()
  let isCode = false
  return {
    entries: entries as readonly Asked[],
    ofCall: (callId: string): Asked | undefined => byCall.get(callId),
    /** Whether the agent is code of a user. */
    isOfCode: () => isCode,
    /** The state after the first `count` events, and the state before it. */
    statesAt(count: number): { now: ChartState | undefined; before: ChartState | undefined } {
      const index = states.findLastIndex(({ event }) => event < count)
      return { now: states[index], before: states[index - 1] }
    },
    add({ type, data, header }: Event): void {
      if (type === 'TaskStarted') isCode = data.agent_version !== undefined
      if (type !== 'AgentStepCompleted') return
      const { journal = [], machine } = data
      for (const entry of journal) {
        const asked = { n: entries.length + 1, entry, event: header.revision }
        entries.push(asked)
        if (entry.call_id !== undefined) byCall.set(entry.call_id, asked)
      }
      if (machine !== undefined)
        states.push({ machine: withChart(machine, states.at(-1)?.machine), event: header.revision })
    },
  }
}
export type Journal = ReturnType<typeof createJournal>
