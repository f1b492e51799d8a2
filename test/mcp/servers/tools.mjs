// The tools of the servers that tests talk to; what a server remembers, it remembers for one connection.
import { appendFileSync } from 'node:fs'
import { Server } from '@modelcontextprotocol/server'

const text = value => ({ content: [{ type: 'text', text: value }] })
const input = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
  required: names,
})
const png = Buffer.from('a picture').toString('base64')

/** By name: the definition without it, and what a call does. */
const toolsFor = state => ({
  echo: {
    description: 'Says it again.',
    inputSchema: input('text'),
    annotations: { readOnlyHint: true },
    call: args => text(args.text),
  },
  note: {
    description: 'Writes a line to a file.',
    inputSchema: input('file', 'line'),
    call: ({ file, line }) => {
      appendFileSync(file, `${line}\n`)
      return text('noted')
    },
  },
  count: {
    inputSchema: input(),
    annotations: { idempotentHint: true },
    call: () => text(`${++state.count}`),
  },
  pid: { inputSchema: input(), call: () => text(`${process.pid}`) },
  environment: { inputSchema: input(), call: () => text(JSON.stringify(process.env)) },
  sum: {
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
    call: ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } }),
  },
  everything: {
    inputSchema: input(),
    call: () => ({
      content: [
        { type: 'text', text: 'look' },
        { type: 'image', mimeType: 'image/png', data: png },
        { type: 'audio', mimeType: 'audio/mpeg', data: png },
        { type: 'resource', resource: { uri: 'file:///notes/a.txt', text: 'the notes' } },
        {
          type: 'resource',
          resource: { uri: 'file:///notes/b.pdf', mimeType: 'application/pdf', blob: png },
        },
        { type: 'resource_link', uri: 'https://tools.example/c', name: 'c' },
      ],
    }),
  },
  fail: {
    inputSchema: input('why'),
    call: ({ why }) => ({ isError: true, content: [{ type: 'text', text: why }] }),
  },
  refuse: {
    inputSchema: input('why'),
    call: ({ why }) => {
      throw new Error(why)
    },
  },
  /** Answers when it is canceled, and says so in the file. */
  wait: {
    inputSchema: input('file'),
    call: ({ file }, signal) => {
      appendFileSync(file, `waiting ${process.pid}\n`)
      return new Promise(resolve => {
        signal.addEventListener('abort', () => {
          appendFileSync(file, 'canceled\n')
          resolve(text('never heard'))
        })
      })
    },
  },
  /** The same, but it may be called again. */
  look: {
    inputSchema: input('file'),
    annotations: { readOnlyHint: true },
    call: ({ file }) => {
      appendFileSync(file, `looking ${process.pid}\n`)
      return state.slow ? new Promise(() => {}) : text('seen')
    },
  },
  progress: {
    inputSchema: input(),
    call: async (_, _signal, notify) => {
      for (const message of ['one of two', 'two of two']) {
        await notify(message)
        await new Promise(resolve => setTimeout(resolve, 100))
      }
      return text('done')
    },
  },
  huge: { inputSchema: input('size'), call: ({ size }) => text('x'.repeat(Number(size))) },
  die: { inputSchema: input(), call: () => process.exit(7) },
  learn: {
    inputSchema: input('name'),
    call: async ({ name }) => {
      state.learnt.push(name)
      await state.changed()
      return text('learnt')
    },
  },
  'odd name/with:signs': { inputSchema: input(), call: () => text('odd') },
  ['long'.repeat(20)]: { inputSchema: input(), call: () => text('long') },
})

const pageSize = 4

export const makeServer = ({ slow = false } = {}) => {
  const server = new Server(
    { name: 'test-server', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  )
  const state = { count: 0, learnt: [], slow, changed: () => server.sendToolListChanged() }
  const tools = toolsFor(state)
  server.setRequestHandler('tools/list', ({ params }) => {
    const learnt = state.learnt.map(name => ({ name, inputSchema: input() }))
    const all = [
      ...Object.entries(tools).map(([name, { call: _, ...tool }]) => ({ name, ...tool })),
      ...learnt,
    ]
    const from = Number(params?.cursor ?? 0)
    const next = from + pageSize
    return { tools: all.slice(from, next), ...(next < all.length ? { nextCursor: `${next}` } : {}) }
  })
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    state.learnt.includes(params.name)
      ? text(`I know ${params.name}`)
      : tools[params.name].call(params.arguments ?? {}, ctx.mcpReq.signal, message =>
          ctx.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken: ctx.mcpReq._meta?.progressToken, progress: 1, message },
          }),
        ),
  )
  return server
}
