// A shop of your own: a Fastify application, and beside it a worker that runs an agent with the data of the application.
import Fastify from 'fastify'
import { agent, worker } from 'reprise/agent'

const { REPRISE_URL: url, REPRISE_TOKEN: token, HOST: host = '127.0.0.1', PORT: port = '3000' } = process.env
const stock = new Map([['mug', 12]])
const reserved = new Map()

const reserve = (task, thing) => {
  // The task is the key: the same task takes a thing only once.
  if (!reserved.has(task)) {
    stock.set(thing, (stock.get(thing) ?? 0) - 1)
    reserved.set(task, thing)
  }
  return stock.get(thing)
}

const order = agent(
  async ctx => {
    const thing = ctx.input.text
    if (!stock.has(thing)) throw new Error(`there is no ${thing}`)
    const left = await ctx.run('reserve', () => reserve(ctx.task, thing), { safe: true })
    const answer = await ctx.ask('confirm', { thing, left })
    return answer === 'yes' ? `One ${thing} is on its way.` : 'Nothing is sent.'
  },
  { description: 'Sells a thing of the stock.', version: '1' },
)

const app = Fastify()
app.get('/stock', () => Object.fromEntries(stock))
await app.listen({ host, port: Number(port) })
const { stop } = await worker({ url, token, agents: { order }, name: 'shop', signals: false })
console.log(`Waits at ${app.listeningOrigin}`)
process.once('SIGTERM', async () => {
  await stop() // finishes what runs, and gives the tasks back, so that another worker goes on
  await app.close()
})
