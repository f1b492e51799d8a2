import { agent } from 'reprise/agent'

export default agent(async ctx => `Hello, ${ctx.config.name}!`, {
  description: 'Greets.',
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  task_support: 'none',
})
