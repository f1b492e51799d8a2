import { agent } from 'reprise/agent'

export default agent(
  async ctx => {
    await ctx.sleep(1000)
    throw new Error('the job has failed')
  },
  { description: 'Fails after a second.', parameters: { type: 'object' }, task_support: 'required' },
)
