// Group chats for tests: their bodies, and what was said in them.
export const says = (name: string, ...texts: string[]) => ({
  name,
  agent_id: 'script',
  script: texts.map(message => ({ message })),
})

/** The body of a create of a group chat; in turns unless it says otherwise. */
export const chatOf = (agents: object[], more: object = {}) =>
  ({
    user_message_content: 'hello',
    stream: false,
    agent_config: { agent_id: 'group', group: { order: 'round_robin', max_rounds: 2, agents, ...more } },
  }) as never

type Said = { name?: string; role?: string; message_content?: unknown }
const textIn = (content: unknown): string =>
  typeof content === 'string' ? content : (content as { text: string }[]).map(({ text }) => text).join('')

/** Messages as lines: who said what. */
export const linesOf = (output: readonly unknown[]): string[] =>
  (output as readonly Said[]).map(({ name, message_content }) => `${name}: ${textIn(message_content)}`)
