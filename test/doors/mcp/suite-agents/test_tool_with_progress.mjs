import { agent } from 'reprise/agent'

export default agent(
  async ctx => {
    for (const percent of [0, 50, 100]) {
      ctx.say(`${percent} of 100`)
      await ctx.sleep(50)
    }
    return 'All is done.'
  },
  { description: 'Says how far it is.', parameters: { type: 'object' } },
)
