// The agents that tasks may name, and the workers that run some of them.
import { AgentList, WorkerList } from '../../contract/responses.ts'
import { defineOperations, json } from '../operation.ts'
import { pages } from '../parameters.ts'

export const agentOperations = defineOperations({
  listAgents: {
    method: 'GET',
    path: '/v1/agents',
    tag: 'Tasks',
    access: 'read',
    summary: 'List the agents',
    about:
      'The agents that `agent_config.agent_id` and `client_id` of a create may name: built-in ones, the files of `AGENT_PATH`, and agents of workers. A token of a user sees the shared agents and those of its user. An agent of workers stays in the list for a day after its last worker has left, until the server starts again.',
    parameters: pages(1000, 100, 'agents'),
    answers: [
      {
        status: 200,
        about: 'The agents, in order of their names.',
        type: json,
        schema: AgentList,
        examples: {
          one: {
            object: 'list',
            data: [
              {
                name: 'echo',
                description: 'Needs no model: says the text of the user back.',
                kind: 'builtin',
                source: 'reprise',
              },
            ],
            has_more: false,
            next_cursor: null,
          },
        },
      },
    ],
  },
  listWorkers: {
    method: 'GET',
    path: '/v1/workers',
    tag: 'Tasks',
    access: 'manage',
    summary: 'List the workers',
    about:
      'The workers that are connected now. With `Upgrade: websocket` and a token of the role `worker`, the same address opens the connection of a worker, whose protocol docs/agent-protocol.md describes.',
    parameters: pages(1000, 100, 'workers'),
    answers: [
      {
        status: 200,
        about: 'The workers, in order of their names.',
        type: json,
        schema: WorkerList,
        examples: {
          one: {
            object: 'list',
            data: [
              {
                ...{ name: 'billing-1', agents: ['support'], versions: { support: '3' } },
                ...{ slots: 16, connected_at: 1795317806 },
              },
            ],
            has_more: false,
            next_cursor: null,
          },
        },
      },
    ],
  },
})
