// The agents that tasks may name.
import { AgentList } from '../../contract/responses.ts'
import { defineOperations, json } from '../operation.ts'

export const agentOperations = defineOperations({
  listAgents: {
    method: 'GET',
    path: '/v1/agents',
    tag: 'Tasks',
    access: 'read',
    summary: 'List the agents',
    about: 'The agents that `agent_config.agent_id` and `client_id` of a create may name.',
    answers: [
      {
        status: 200,
        about: 'All agents, in order of their names.',
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
          },
        },
      },
    ],
  },
})
