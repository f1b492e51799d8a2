import { agent } from 'reprise/agent'

export default agent(
  async ctx => {
    const { name } = await ctx.ask(
      'user_name',
      { message: 'What is your name?' },
      { schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    )
    return `Hello, ${name}!`
  },
  { description: 'Asks for a name.', parameters: { type: 'object' } },
)
