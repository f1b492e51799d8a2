// A server whose tools ask the user. What they do, they write into a file: one line for each call that has asked, and one for each
// that has its answers. Run as a program, it speaks over its pipes; `modern` refuses the older handshake.
import { appendFileSync } from 'node:fs'
import { inputRequired, Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const input = { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] }
const seats = { type: 'integer', minimum: 1, maximum: 9, title: 'Seats' }
const form = {
  type: 'object',
  properties: { seats, window: { type: 'boolean', default: true } },
  required: ['seats'],
}
const oneText = name => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] })
const elicit = (message, requestedSchema) => inputRequired.elicit({ message, requestedSchema })

/** By name: what each tool asks in each of its rounds. */
const rounds = {
  book: [{ seats: elicit('How many seats?', form) }],
  both: [{ name: elicit('Whose name?', oneText('name')), day: elicit('Which day?', oneText('day')) }],
  chain: [{ from: elicit('From where?', oneText('city')) }, { to: elicit('To where?', oneText('city')) }],
  visit: [
    {
      pay: inputRequired.elicitUrl({
        message: 'Please pay.',
        url: 'https://pay.example/7',
        elicitationId: 'e7',
      }),
    },
  ],
  sample: [
    {
      poem: inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: 'a poem' } }],
        maxTokens: 9,
      }),
    },
  ],
}

export const makeAskingServer = () => {
  const server = new Server({ name: 'asking', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: [...Object.keys(rounds), 'impatient', 'rest'].map(name => ({ name, inputSchema: input })),
  }))
  server.setRequestHandler('tools/call', ({ params: { name, arguments: args } }, { mcpReq }) => {
    const write = line => appendFileSync(args.file, `${JSON.stringify(line)}\n`)
    if (name === 'rest') return new Promise(resolve => setTimeout(() => resolve({ content: [] }), 1000))
    if (name === 'impatient') {
      // The user of the older version has no time to answer.
      const asked = { message: 'Quick?', requestedSchema: oneText('answer') }
      return server
        .elicitInput(asked, { timeout: 500, relatedRequestId: mcpReq.id })
        .then(() => 'answered')
        .catch(() => 'nobody answered')
        .then(text => ({ content: [{ type: 'text', text }] }))
    }
    const { n = 0, earlier = {} } = JSON.parse(mcpReq.requestState() ?? '{}')
    const answers = { ...earlier, ...mcpReq.inputResponses }
    const asked = rounds[name][n]
    if (asked !== undefined) {
      write({ asked: Object.keys(asked) })
      const requestState = JSON.stringify({ n: n + 1, earlier: answers, secret: 'offer-7' })
      return inputRequired({ inputRequests: asked, requestState })
    }
    write({ answers })
    return { content: [{ type: 'text', text: `done with ${JSON.stringify(answers)}` }] }
  })
  return server
}

if (process.argv[1] === import.meta.filename) {
  serveStdio(makeAskingServer, process.argv.includes('modern') ? { legacy: 'reject' } : {})
}
