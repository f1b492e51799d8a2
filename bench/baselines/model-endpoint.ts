// The endpoint of a model that costs as little CPU as possible. The name of the model in the request selects the
// answer. `whole-<tokens>`: prepared bytes, sent at once. `paced-<tokens>`: a token every 20 ms, which holds the time
// at which it was sent, and a tool call until the request has four results. `steps-<n>`: tool calls alone, until it has
// n results.
import { createServer, type ServerResponse } from 'node:http'

const tokenMs = 20
const maxTools = 4
const writeBytes = 64 * 1024

const event = (delta: object, finish: string | null = null): string => {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
  const chunk = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'bench', choices }
  return `data: ${JSON.stringify(chunk)}\n\n`
}
const end = (finish: string, tokens: number): string => {
  const usage = { prompt_tokens: 100, completion_tokens: tokens, total_tokens: 100 + tokens }
  return `${event({}, finish)}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`
}
const call = event({
  tool_calls: [
    {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'calculator', arguments: '{"expression":"1+2"}' },
    },
  ],
})

const whole = new Map<number, Buffer[]>()
const wholeAnswer = (tokens: number): Buffer[] => {
  const known = whole.get(tokens)
  if (known !== undefined) return known
  const words = Array.from({ length: tokens }, (_, n) => event({ content: ` word${n % 10}` }))
  const bytes = Buffer.from(words.join('') + end('stop', tokens))
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += writeBytes) pieces.push(bytes.subarray(at, at + writeBytes))
  whole.set(tokens, pieces)
  return pieces
}

const sendWhole = async (response: ServerResponse, tokens: number) => {
  for (const piece of wholeAnswer(tokens)) {
    if (!response.write(piece)) await new Promise(resolve => response.once('drain', resolve))
  }
  response.end()
}
/**
 * Sends tokens at a pace. The text of each token is the time at which it is sent, in microseconds of a steady clock.
 */
const sendPaced = (response: ServerResponse, tokens: number, callsTool: boolean) => {
  let sent = 0
  const timer = setInterval(() => {
    response.write(event({ content: ` ${process.hrtime.bigint() / 1000n}` }))
    if (++sent < tokens) return
    clearInterval(timer)
    if (callsTool) response.write(call)
    response.end(end(callsTool ? 'tool_calls' : 'stop', tokens))
  }, tokenMs)
  response.on('close', () => clearInterval(timer))
}

const server = createServer(async (request, response) => {
  if (request.url === '/readyz') return void response.end('{}')
  let text = ''
  for await (const piece of request) text += piece
  const { model, messages } = JSON.parse(text) as { model: string; messages: { role: string }[] }
  const [kind, count] = model.split('-')
  const results = messages.filter(({ role }) => role === 'tool').length
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (kind === 'whole') return void sendWhole(response, Number(count))
  if (kind === 'steps') {
    const more = results < Number(count)
    return void response.end(
      `${event({ content: 'Go on.' })}${more ? call : ''}${end(more ? 'tool_calls' : 'stop', 2)}`,
    )
  }
  sendPaced(response, Number(count), results < maxTools)
})
server.listen(Number(process.env.PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
