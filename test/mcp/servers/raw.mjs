// A server whose every answer is given as text, so that it can be as odd as a test wants. As a process it reads its
// script from the file that its argument names. In a text, "$id" becomes the id of the request, "$text" this id as a
// text, and "$other" an id that no request has.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const filled = (text, id) =>
  text
    .replaceAll('"$id"', JSON.stringify(id))
    .replaceAll('"$text"', JSON.stringify(`${id}`))
    .replaceAll('"$other"', `${1000 + Number(id)}`)

export const result = value => `{"jsonrpc":"2.0","id":"$id","result":${JSON.stringify(value)}}`
const hello = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'raw', version: '1' },
}

/** The answers of one connection, in the order of its requests. Undefined: the message gets no answer. */
export const createAnswers = ({ greeting, lists = [], next, calls = {} }) => {
  let listed = 0
  const chosen = ({ method, params }) => {
    if (method === 'initialize') return greeting ?? { writes: [`${result(hello)}\n`] }
    if (method === 'tools/list' && params?.cursor !== undefined && next) return next
    if (method === 'tools/list') return lists[Math.min(listed++, lists.length - 1)]
    if (method === 'tools/call') return calls[params?.name]
    return { writes: ['{"jsonrpc":"2.0","id":"$id","error":{"code":-32601,"message":"Method not found"}}\n'] }
  }
  return message => {
    if (message.id === undefined || message.method === undefined) return undefined
    const answer = chosen(message)
    if (answer === undefined || answer.silent) return undefined
    return { ...answer, writes: (answer.writes ?? []).map(text => filled(text, message.id)) }
  }
}

const serve = script => {
  const answerTo = createAnswers(script)
  for (const text of script.before ?? []) process.stdout.write(text)
  let rest = ''
  let last = Promise.resolve()
  const answer = async message => {
    const { writes = [], end, waitMs = 0 } = answerTo(message) ?? {}
    if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs))
    last = last.then(() => write(writes, end)) // so that the pieces of two answers are not mixed
  }
  const write = async (writes, end) => {
    for (const [index, text] of writes.entries()) {
      if (index > 0) await new Promise(resolve => setTimeout(resolve, 5))
      await new Promise(resolve => process.stdout.write(text, resolve))
    }
    if (end === 'die') process.exit(7)
  }
  process.stdin.on('data', data => {
    const lines = (rest + data).split('\n')
    rest = lines.pop()
    for (const line of lines) void answer(JSON.parse(line))
  })
  process.stdin.on('end', () => process.exit(0))
}
if (process.argv[1] === fileURLToPath(import.meta.url))
  serve(JSON.parse(readFileSync(process.argv[2], 'utf8')))
