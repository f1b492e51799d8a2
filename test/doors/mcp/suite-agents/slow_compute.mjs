import { agent } from 'reprise/agent'

export default agent(
  async ctx => {
    await ctx.sleep(ctx.config.seconds * 1000)
    return `${ctx.config.label ?? 'The work'} took ${ctx.config.seconds} s.`
  },
  {
    description: 'Works for some seconds.',
    parameters: {
      type: 'object',
      properties: { seconds: { type: 'number' }, label: { type: 'string' } },
      required: ['seconds'],
    },
  },
)
