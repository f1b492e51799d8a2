import { agent } from 'reprise/agent'

const text = name => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] })

export default agent(
  async ctx => {
    const { name } = await ctx.ask(
      'step1',
      { message: 'Step 1: What is your name?' },
      { schema: text('name') },
    )
    const { color } = await ctx.ask(
      'step2',
      { message: 'Step 2: What is your favorite color?' },
      { schema: text('color') },
    )
    return `${name} likes ${color}.`
  },
  { description: 'Asks twice.', parameters: { type: 'object' } },
)
