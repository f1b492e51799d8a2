// Agents of users, and tasks of them: functions, a statechart, workers, a file that cannot be loaded and one that has changed.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { agent, worker } from '../../library/agent/index.ts'
import { read, until } from '../support/http.ts'
import type { Api } from '../support/server.ts'

const week = 7 * 86_400_000

const refunds = `import { agent } from 'reprise/agent'

export default agent(async ctx => {
  const order = await ctx.run('find order', () => ({ number: 1001, price: 34 }), { safe: true })
  ctx.say(\`Your order \${order.number} costs \${order.price} EUR. I ask the manager.\`)
  await Promise.all([
    ctx.tool('calculator', { expression: '34 * 0.9' }),
    ctx.agent('echo', 'Is this customer known?'),
    ctx.sleep(300),
  ])
  const answer = await ctx.ask('ask_manager', { question: 'Pay 34 EUR back?', options: ['yes', 'no'] })
  if (answer !== 'yes') return 'The manager says no. I am sorry.'
  await ctx.run('pay', () => ({ paid: 34, currency: 'EUR' }))
  await ctx.sleep(${week})
  return 'A week ago you got your 34 EUR. I hope that everything is well.'
}, {
  description: 'Pays money back when the manager agrees.',
  version: '3',
  parameters: {
    type: 'object',
    required: ['limit'],
    properties: {
      limit: { type: 'number', description: 'The greatest amount that is paid back.', default: 50 },
      currency: { enum: ['EUR', 'USD'], description: 'What the amounts are in.' },
      shop: { type: 'object', properties: { name: { type: 'string' }, open: { type: 'boolean' } } },
    },
  },
})
`

/** The chart of an order: states inside of states, two at once, ends, a timer, and events that change no state. */
const order = `import { machineAgent } from 'reprise/agent'
import { assign, setup } from 'xstate'

const chart = setup({}).createMachine({
  id: 'order',
  context: ({ input }) => ({ what: input.text, notes: 0 }),
  initial: 'checking',
  on: { note: { actions: assign({ notes: ({ context }) => context.notes + 1 }) } },
  states: {
    checking: { invoke: { src: 'run:find order', onDone: 'waiting', onError: 'lost' } },
    waiting: { on: { approve: 'delivery', refuse: 'refused' }, after: { ${week}: 'refused' } },
    delivery: {
      type: 'parallel',
      states: {
        payment: {
          initial: 'open',
          states: { open: { on: { pay: 'paid' } }, paid: { type: 'final' } },
        },
        parcel: {
          initial: 'packing',
          states: {
            packing: { invoke: { src: 'run:pack', onDone: 'ready' } },
            ready: { on: { ship: 'shipped', 'pack again': 'packing' } },
            shipped: { type: 'final' },
          },
        },
      },
      on: { cancel: 'refused' },
      onDone: 'delivered',
    },
    delivered: { type: 'final' },
    refused: { type: 'final' },
    lost: { type: 'final' },
  },
  output: ({ context }) => context.what,
})
const run = { 'find order': () => 1001, pack: () => 'a box' }
export default machineAgent(chart, { run, description: 'Brings an order from the cart to the door.' })
`

/** Another version asks for another side effect at the place of the first one. */
const newsletter = (name: string, list: string): string => `import { agent } from 'reprise/agent'

export default agent(async ctx => {
  const readers = await ctx.run('${name}', () => ['ann', 'bob'], { safe: true })
  const found = await ctx.tool('calculator', { expression: '${list}' })
  const { text } = await ctx.message()
  return \`\${text} goes to \${readers.length} readers, \${found} letters.\`
}, { description: 'Writes to all readers.' })
`

const broken = `import { agent } from 'reprise/agent'

export default agent(async ctx => {
  const answer = await ctx.ask('which_invoice', { question: 'Which one?' )
  return answer
})
`

type Task = {
  id: string
  status: string
  input_required?: { call_id: string }
  metadata: { [name: string]: unknown }
}
type Info = { name: string; version?: string; error?: string; description: string }

/**
 * Creates the agents and their tasks. `folder`: the AGENT_PATH of the server. Resolves to the ids of the tasks, to a function
 * that writes the file of an agent, and to one that ends the workers.
 */
export const seedAgents = async (api: Api, url: string, folder: string) => {
  mkdirSync(folder, { recursive: true })
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
  const agents = async (): Promise<Info[]> =>
    ((await read(api('GET', '/agents'))).body as unknown as { data: Info[] }).data
  const isKnown = (name: string, fits: (info: Info) => boolean) =>
    until(async () => (await agents()).some(info => info.name === name && fits(info)))
  const taskOf = async (id: string) => (await read(api('GET', `/tasks/${id}`))).body.result as unknown as Task
  const has = (id: string, fits: (task: Task) => boolean) => until(async () => fits(await taskOf(id)))
  const create = async (agent_id: string, text: string): Promise<string> => {
    const body = { user_message_content: text, stream: false, background: true, user_id: 'ann' }
    return (await read(api('POST', '/tasks', { ...body, agent_config: { agent_id } }))).body.result.id
  }
  const send = (id: string, body: object) => read(api('POST', `/tasks/${id}/messages`, body))
  const stateOf = async (id: string) => JSON.stringify((await read(api('GET', `/tasks/${id}/machine`))).body)

  write('refunds.mjs', refunds)
  write('order.mjs', order)
  write('newsletter.mjs', newsletter('read subscribers', '6 * 7'))
  write('invoices.mjs', broken)
  for (const name of ['refunds', 'order', 'newsletter']) await isKnown(name, info => info.description !== '')
  await isKnown('invoices', ({ error }) => error !== undefined)

  const { body } = await read(api('POST', '/auth/tokens', { role: 'worker' }))
  const { token } = body as unknown as { token: string }
  const bills = agent(async ctx => `Billed: ${ctx.input.text}`, { description: 'Writes bills.' })
  const start = (name: string, version: string, slots: number, more: object = {}) =>
    worker({ url, token, name, version, slots, agents: { billing: bills, ...more }, signals: false })
  const away = await start('eu-old', '2026-10', 4, { shipping: bills })
  const workers = [await start('eu-1', '2026-11', 16), await start('eu-2', '2026-12', 16)]
  const chart = await create('order', 'Two mugs')
  const asking = await create('refunds', 'My mugs are broken.')
  const asleep = await create('refunds', 'My plates are broken, too.')
  const changed = await create('newsletter', 'The news of May')
  await away.stop()
  const queued = await create('shipping', 'Ship two mugs')

  for (const [event, reached] of [
    ['approve', '"parcel":"ready"'],
    ['pay', '"payment":"paid"'],
    ['note', '"notes":1'],
  ] as const) {
    if (event === 'approve') await until(async () => (await stateOf(chart)).includes('"value":"waiting"'))
    await send(chart, { event: { type: event } })
    await until(async () => (await stateOf(chart)).includes(reached))
  }
  await has(asleep, ({ status }) => status === 'input-required')
  const call_id = (await taskOf(asleep)).input_required?.call_id
  await read(api('POST', `/tasks/${asleep}/input`, { tool_results: [{ call_id, message_content: 'yes' }] }))
  const before = (await agents()).find(({ name }) => name === 'newsletter')?.version
  write('newsletter.mjs', newsletter('read subscribers', '6 * 70'))
  await isKnown('newsletter', ({ version }) => version !== before)
  await send(changed, { content: 'The news' })
  await has(changed, ({ status }) => status === 'failed')
  await has(asking, ({ status }) => status === 'input-required')
  const stop = () => Promise.all(workers.map(one => one.stop()))
  return { ids: { chart, asking, asleep, changed, queued }, write, stop }
}
