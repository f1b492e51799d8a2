// Servers that nobody would want: which one is the argument.
import { appendFileSync } from 'node:fs'

const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
const hello = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'hostile', version: '1' },
}
const tool = name => ({ name, inputSchema: { type: 'object' } })
const flood = line => {
  while (process.stdout.write(line));
  process.stdout.once('drain', () => flood(line))
}
const serve = methods => {
  let rest = ''
  process.stdin.on('data', chunk => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const { id, method, params } = JSON.parse(line)
      if (id !== undefined) methods[method]?.(id, params)
    }
  })
}
const polite = {
  initialize: id => answer(id, hello),
  'tools/list': id => answer(id, { tools: [tool('go')] }),
}

const kinds = {
  /** Says nothing but who it is, in a file, and does not go when it is asked to. */
  silent: file => {
    process.on('SIGTERM', () => {})
    setInterval(() => {}, 1000)
    appendFileSync(file, `${process.pid}\n`)
  },
  gone: () => process.exit(3),
  garbage: () => {
    process.stdout.write('hello?\n{"jsonrpc":"1.0"}\n[]\n{"id":{}}\nnull\n')
    serve({ initialize: id => answer(id, 'hello?') })
  },
  /** Prints what is no message, but answers too. */
  chatty: () => {
    process.stdout.write('Server ready!\n{"almost": "a message"}\n')
    serve({ ...polite, 'tools/call': id => answer(id, { content: [{ type: 'text', text: 'went' }] }) })
  },
  flood: () => {
    process.stdin.resume()
    flood(
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/nothing', params: { x: 'x'.repeat(4096) } })}\n`,
    )
  },
  'endless line': () => {
    process.stdin.resume()
    flood('x'.repeat(65536))
  },
  'endless list': () => {
    let page = 0
    serve({ ...polite, 'tools/list': id => answer(id, { tools: [], nextCursor: `${++page}` }) })
  },
  'many tools': () => {
    const tools = Array.from({ length: 600 }, (_, index) => tool(`tool${index}`))
    serve({ ...polite, 'tools/list': id => answer(id, { tools }) })
  },
  'large list': () => {
    const description = 'x'.repeat(100 * 1024)
    const tools = Array.from({ length: 11 }, (_, index) => ({ ...tool(`go${index}`), description }))
    serve({ ...polite, 'tools/list': id => answer(id, { tools }) })
  },
  /** Answers a call with a result that is too large to be read. */
  huge: () =>
    serve({
      ...polite,
      'tools/call': id => answer(id, { content: [{ type: 'text', text: 'x'.repeat(11 * 1024 * 1024) }] }),
    }),
  /** Never answers a call. */
  hanging: () => serve(polite),
}
kinds[process.argv[2]](process.argv[3])
