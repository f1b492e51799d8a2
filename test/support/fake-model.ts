// An OpenAI-compatible endpoint that plays its part: each request gets the next answer, and is kept.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export type Answer =
  | { status: number; body: unknown; headers?: Record<string, string> }
  /** Chunks of a stream; `cut` breaks the connection after them, `hold` never ends it. */
  | { chunks: unknown[]; cut?: true; hold?: true }
export type Asked = {
  body: Record<string, unknown>
  authorization: string | undefined
  closed: Promise<void>
}

type Delta = Record<string, unknown>
export const delta = (given: Delta, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: given, finish_reason }],
})
export const says = (...texts: string[]): Answer => ({
  chunks: [...texts.map(content => delta({ content })), delta({}, 'stop'), usage(7, 3)],
})
export const usage = (prompt_tokens: number, completion_tokens: number) => ({
  choices: [],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
})
/** Calls as providers send them: the name first, the arguments in pieces. */
export const calls = (...given: [name: string, args: string][]): Answer => ({
  chunks: [
    ...given.flatMap(([name, args], index) => [
      delta({ tool_calls: [{ index, id: `theirs_${index}`, function: { name, arguments: '' } }] }),
      delta({ tool_calls: [{ index, function: { arguments: args.slice(0, 3) } }] }),
      delta({ tool_calls: [{ index, function: { arguments: args.slice(3) } }] }),
    ]),
    delta({}, 'tool_calls'),
  ],
})

const read = async (request: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

const play = (answer: Answer, response: ServerResponse) => {
  if ('status' in answer) {
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const chunk of answer.chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  if (answer.hold) return
  if (answer.cut) setTimeout(() => response.destroy(), 20)
  else response.end('data: [DONE]\n\n')
}

export const fakeModel = async (t: Test, answers: Answer[]) => {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const closed = once(response, 'close').then(() => {})
    const body = JSON.parse(await read(request)) as Record<string, unknown>
    asked.push({ body, authorization: request.headers.authorization, closed })
    play(answers.shift() ?? { status: 500, body: { error: { message: 'nothing is left to say' } } }, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    asked,
    env: { MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`, MODEL: 'fake-1', MODEL_API_KEY: 'sk-secret' },
  }
}
