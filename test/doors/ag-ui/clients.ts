// AG-UI's own client, pointed at a server of the tests. Its verifier checks the order of the events, and each event is checked
// by the schemas of the protocol.
import { type BaseEvent, HttpAgent, type HttpAgentConfig, type RunAgentParameters } from '@ag-ui/client'
import { EventSchema } from '@ag-ui/core/schemas'
import { adminToken } from '../../support/server.ts'

export type Event = { type: string } & Record<string, unknown>

export const agentOf = (url: string, agent: string, config: Partial<HttpAgentConfig> = {}): HttpAgent =>
  new HttpAgent({
    url: `${url}/ag-ui/${agent}`,
    headers: { authorization: `Bearer ${adminToken}` },
    ...config,
  })

/** A tool of a front end. */
export const tool = (name: string) => ({
  name,
  description: `The tool ${name}.`,
  parameters: { type: 'object', properties: {} },
})

let made = 0
export const user = (content: string) => ({ id: `user-${made++}`, role: 'user' as const, content })
export const resultOf = (toolCallId: string, content: string) => ({
  id: `tool-${made++}`,
  role: 'tool' as const,
  toolCallId,
  content,
})

/** Runs an agent to the end of the run. Returns the events that the client took. */
export const run = async (agent: HttpAgent, parameters: RunAgentParameters = {}) => {
  const events: Event[] = []
  await agent.runAgent(parameters, { onEvent: ({ event }) => void events.push(event as Event) })
  return events
}

/** What has come of a stream whose connection may break: whole events alone. `seen`: called with them as they come. */
export const cutStream = async (
  answer: Response,
  seen: (events: Sent[]) => void = () => {},
): Promise<Sent[]> => {
  let text = ''
  const whole = () => eventsIn(text.slice(0, text.lastIndexOf('\n\n') + 2))
  try {
    for await (const piece of answer.body ?? []) {
      text += Buffer.from(piece).toString()
      seen(whole())
    }
  } catch {
    // It was cut.
  }
  return whole()
}

/** An event with its number. */
export type Sent = { id: number; event: Event }

/** The events in the text of a stream, with their numbers. Throws when one is not as the protocol wants it. */
export const eventsIn = (text: string): Sent[] =>
  text
    .split('\n\n')
    .filter(block => /^data:/m.test(block))
    .map(block => ({
      id: Number(/^id: (\d+)$/m.exec(block)?.[1]),
      event: EventSchema.parse(JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '')) as unknown as Event,
    }))

/** Sends a body as it is. */
export const post = (
  url: string,
  agent: string,
  body: unknown,
  headers: Record<string, string> = {},
  init: RequestInit = {},
): Promise<Response> =>
  fetch(`${url}/ag-ui/${agent}`, {
    ...init,
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

export const typesOf = (events: BaseEvent[] | Event[]): string[] => events.map(({ type }) => type)
/** What an agent says in these events. */
export const textIn = (events: Event[]): string =>
  events.flatMap(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? [String(delta)] : [])).join('')

export const textOf = (sent: Sent[]): string => textIn(sent.map(({ event }) => event))
