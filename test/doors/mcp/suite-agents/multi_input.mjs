import { agent } from 'reprise/agent'

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

export default agent(
  async ctx => {
    await ctx.sleep(600)
    const [first, second] = await Promise.all([
      ctx.ask('first', { question: 'Who is first?' }, { schema }),
      ctx.ask('second', { question: 'Who is second?' }, { schema }),
    ])
    return `${first.name}, then ${second.name}.`
  },
  { description: 'Asks two questions at once.', parameters: { type: 'object' } },
)
