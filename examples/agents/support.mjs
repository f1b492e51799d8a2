// Answers customers of a shop. It pays money back only when a human agrees, and only once.
import { agent } from 'reprise/agent'

const days = 86_400_000
const order = { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] }

/** Asks the shop, whose address is a variable of the request. */
const shop = async (ctx, path, options) => {
  const answer = await fetch(`${ctx.vars.SHOP_URL}${path}`, options)
  if (!answer.ok) throw new Error(`the shop answers ${answer.status}`)
  return answer.json()
}

export default agent(
  async ctx => {
    const asked = `Which order does this message speak of? ${ctx.input.text}`
    const { order: number } = await ctx.model(asked, { schema: order, silent: true })
    const found = await ctx.run('find order', () => shop(ctx, `/orders/${number}`), {
      safe: true,
      retries: 2,
    })
    ctx.say(`I see ${found.what}, ${found.price} EUR. I ask the manager.`)

    const answer = await ctx.ask(
      'approve_refund',
      { order: number, price: found.price },
      { timeout: 3 * days },
    )
    if (answer !== 'approved') return 'I am sorry. The manager does not pay the money back.'

    const refund = { method: 'POST', body: JSON.stringify({ order: number }) }
    await ctx.run('refund', () => shop(ctx, '/refunds', refund))
    return ctx.model(`Tell the customer that ${found.price} EUR are paid back.`)
  },
  { description: 'Answers customers of a shop, and asks a human before it pays money back.' },
)
