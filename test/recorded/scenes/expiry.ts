// Tasks whose time runs out, in each state in which it can.
import { script, tool } from '../../http/agent-tasks.ts'
import type { Stage } from './stage.ts'

export const playExpiry = async ({ begins, becomes }: Stage): Promise<void> => {
  const busy = await begins({ session_id: 'busy', agent_config: script({ sleep_ms: 600_000 }) })
  const ids = [
    busy,
    await begins({ session_id: 'busy', user_message_content: 'I wait for my turn' }),
    await begins({ agent_config: script({ pause: 'tea' }, { message: 'never' }) }),
    await begins({
      agent_config: script({ tool: 'ask' }, { message: 'never' }),
      client_tools: [tool('ask')],
    }),
    await begins({ agent_config: script({ message: 'one two three four', delta_ms: 20_000 }) }),
  ]
  for (const id of ids) await becomes(id, 'expired')
}
