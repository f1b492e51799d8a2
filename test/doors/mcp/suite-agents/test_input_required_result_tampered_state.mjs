import { agent } from 'reprise/agent'

export default agent(
  async ctx => {
    const { ok } = await ctx.ask(
      'confirm',
      { message: 'Please confirm' },
      { schema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } },
    )
    return ok ? 'state-ok' : 'not confirmed'
  },
  { description: 'Asks for a confirmation.', parameters: { type: 'object' } },
)
