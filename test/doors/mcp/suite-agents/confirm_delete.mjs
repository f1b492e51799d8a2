import { agent } from 'reprise/agent'

export default agent(
  async ctx => {
    await ctx.sleep(600)
    const { confirm } = await ctx.ask(
      'confirm',
      { question: `Delete ${ctx.config.filename}?` },
      { schema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] } },
    )
    return confirm ? `${ctx.config.filename} is deleted.` : 'Nothing is deleted.'
  },
  {
    description: 'Deletes a file if its user confirms that.',
    parameters: { type: 'object', properties: { filename: { type: 'string' } }, required: ['filename'] },
  },
)
