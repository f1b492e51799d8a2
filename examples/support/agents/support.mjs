// Reads the letter of a customer, and pays money back when a human agrees.
import { agent } from 'reprise/agent'

const schema = { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] }

export default agent(async ctx => {
  const wanted = await ctx.model(`Which order is this about? ${ctx.input.text}`, { schema, silent: true })
  const price = await ctx.env.step('price', wanted)
  const answer = await ctx.ask('approve_refund', { ...wanted, price })
  if (answer === 'yes') await ctx.env.step('refund', wanted)
  return ctx.model(`A human said ${answer} to paying ${price} EUR back. Tell the customer.`)
})
