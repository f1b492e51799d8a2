// reprise agent list: the agents of a server. It asks the server.
import type { AgentInfo } from '../../../library/client/index.ts'
import { type Asking, ask, printAll } from './ask.ts'

const placeOf = ({ source, workers }: AgentInfo): string =>
  workers === undefined ? source : `${workers} worker${workers === 1 ? '' : 's'}`

const lineOf = (agent: AgentInfo): string =>
  [
    agent.name,
    agent.kind,
    placeOf(agent),
    agent.error === undefined ? agent.description : `cannot be run: ${agent.error}`,
  ]
    .join('  ')
    .trimEnd()

export const listAgents = (options: Asking): Promise<void> =>
  ask(options, ({ agents }) => printAll(agents.list(), options, lineOf, 'No agents.'))
