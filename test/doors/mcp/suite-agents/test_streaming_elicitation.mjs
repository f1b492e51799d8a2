import { agent } from 'reprise/agent'

export default agent(
  async ctx => {
    ctx.say('I ask you something.')
    return `You said ${await ctx.ask('what', { message: 'What do you say?' })}.`
  },
  { description: 'Speaks, then asks.', parameters: { type: 'object' } },
)
