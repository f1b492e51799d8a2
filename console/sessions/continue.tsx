// A form that continues a session: a message, and a choice of the agent that answers.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../api/session.ts'
import { agents, readAgents } from '../home/agents.ts'
import { bound } from '../ui/bound.ts'
import type { Turn } from './read-session.ts'
import { Say } from './say.tsx'
import { agentOf } from './turn-entries.ts'

/** Agents that need more settings than a message. */
const needsSettings = new Set(['script', 'group'])

export const Continue = ({
  id,
  newest,
  done,
}: {
  id: string
  newest: Turn | undefined
  done: () => void
}) => {
  const last = newest === undefined ? '' : agentOf(newest)
  const agent = useSignal(needsSettings.has(last) ? '' : last)
  useEffect(() => void readAgents().catch(() => {}), [])
  const say = async (text: string) => {
    await api.ask('POST', '/tasks', {
      user_message_content: text,
      session_id: id,
      stream: false,
      background: true,
      ...(newest === undefined ? {} : { user_id: newest.task.user_id }),
      ...(agent.value === '' ? {} : { agent_config: { agent_id: agent.value } }),
    })
    done()
  }
  return (
    <Say label="Continue the conversation" say={say}>
      <label>
        <span class="unseen">Agent</span>
        <select {...bound(agent)}>
          <option value="">Default agent</option>
          {agents.value
            .filter(({ name }) => !needsSettings.has(name))
            .map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
        </select>
      </label>
    </Say>
  )
}
