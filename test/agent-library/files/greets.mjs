import { agent } from 'reprise/agent'

export default agent(async ctx => `Hello ${await ctx.tool('name_of', { id: 1 })}`, {
  description: 'Greets.',
  parameters: { type: 'object' },
})
