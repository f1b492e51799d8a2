import { agent } from 'reprise/agent'

export default agent(
  async ctx => {
    const { name } = await ctx.ask(
      'user_name',
      { question: 'What is your name?' },
      { schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    )
    await ctx.sleep(1000)
    return `The task of ${name} is done.`
  },
  { description: 'Asks, then works.', parameters: { type: 'object' }, task_support: 'required' },
)
