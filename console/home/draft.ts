// Keeps the values in the form for a new task.

import { signal } from '@preact/signals'
import { readJson } from '../../src/contract/exact-json.ts'
import type { Example } from './examples.ts'

export const createDraft = () => {
  const message = signal('')
  const agent = signal('')
  /** Fields of `agent_config`, as JSON; empty: there are none. */
  const config = signal('')
  const session = signal('')
  const more = signal<object>({})
  return {
    message,
    agent,
    config,
    session,
    use(example: Example): void {
      message.value = example.message
      agent.value = example.agent
      config.value = example.config === undefined ? '' : JSON.stringify(example.config, null, 2)
      more.value = example.more ?? {}
    },
    /** The body of the request that creates the task. Throws SyntaxError when the settings are no JSON. */
    body: () => ({
      user_message_content: message.value,
      stream: false,
      background: true,
      agent_config: {
        ...(agent.value === '' ? {} : { agent_id: agent.value }),
        ...(config.value.trim() === '' ? {} : (readJson(config.value) as object)),
      },
      ...(session.value === '' ? {} : { session_id: session.value }),
      ...more.value,
    }),
  }
}
export type Draft = ReturnType<typeof createDraft>
