// Stories of the agents in examples/agents, each told with kills at every point: the end is the same, and what is counted outside
// happens once. Used by agents-kills.test.ts, which takes some points, and by the soak test, which takes all.
import { createServer } from 'node:http'
import path from 'node:path'
import type { Story } from '../../library/testing/types.ts'

const examples = path.resolve(import.meta.dirname, '../../examples/agents')
const exampleOf = async (name: string) => (await import(path.join(examples, `${name}.mjs`))).default
const approval = await exampleOf('approval')
const chess = await exampleOf('chess-player')
const reader = await exampleOf('reader')
const researcher = await exampleOf('researcher')
const support = await exampleOf('support')

/** What is outside of the server: it answers, and writes down every request that changes something. */
export const outside = async () => {
  const posts: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    if (request.method === 'POST') posts.push(`${request.url} ${body}`)
    const order = { what: 'two mugs', price: 34 }
    response.end(JSON.stringify(request.method === 'POST' ? { number: posts.length } : order))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it does not listen')
  return {
    url: `http://127.0.0.1:${address.port}`,
    posts,
    close() {
      server.closeAllConnections()
      server.close()
    },
    /** A person who looks outside: what was done is its number, and what was not done shall be done. */
    look: () => (posts.length > 0 ? { number: posts.length } : undefined),
  }
}

/** Tells a story that has something outside. Its result has the changes outside, so that each must happen once. */
const withOutside =
  (
    tell: (
      start: Parameters<Story<unknown>>[0],
      world: Awaited<ReturnType<typeof outside>>,
    ) => Promise<unknown>,
  ) =>
  async (start: Parameters<Story<unknown>>[0]) => {
    const world = await outside()
    try {
      const result = await tell(start, world)
      return { result, posts: world.posts }
    } finally {
      world.close()
    }
  }

export const stories: Record<string, Story<unknown>> = {
  support: withOutside(async (start, { url, look }) => {
    const server = await start({
      agents: { support },
      model: [
        { when: 'Which order does this message speak of?', text: '{"order": 1001}' },
        { when: 'Tell the customer', text: 'You will have your 34 EUR soon.' },
      ],
      onUnknownEffect: look,
    })
    const task = await server.task('support', 'My mugs of order 1001 are broken.', { env: { SHOP_URL: url } })
    await task.answer('approved', await task.question())
    return task.result()
  }),
  approval: withOutside(async (start, { url, look }) => {
    const server = await start({ agents: { approval }, onUnknownEffect: look })
    const task = await server.task('approval', 'a room', { agent_config: { url } })
    await server.clock.advance('6 days')
    await task.send('approve')
    return task.result()
  }),
  'approval that nobody answers': withOutside(async (start, { url }) => {
    const server = await start({ agents: { approval } })
    const task = await server.task('approval', 'a room', { agent_config: { url } })
    await server.clock.advance('6 days')
    const { status } = await task.get()
    await server.clock.advance('1 day')
    return [status, await task.result()]
  }),
  async researcher(start) {
    const server = await start({
      agents: { researcher, reader },
      model: [
        { when: 'Split this question', text: '{"questions": ["How deep is it?", "How old is it?"]}' },
        { when: 'Answer in one sentence: How deep', text: 'It is 1,642 metres deep.' },
        { when: 'Answer in one sentence: How old', text: 'It is 25 million years old.' },
        { when: 'Answer from these notes', text: 'It is deep and old.' },
      ],
    })
    const task = await server.task('researcher', 'How is Lake Baikal?')
    await server.clock.advance('10 minutes') // a call that the kill has cut off is made again after a pause
    return task.result()
  },
  async 'chess-player'(start) {
    const server = await start({ agents: { chess } })
    const fen = 'r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4'
    const body = { env_id: 'chess', env_init_kwargs: { fen } }
    const made = await server.request('POST', '/env/create', body, { 'idempotency-key': 'board' })
    const { session_id } = (await made.json()) as { session_id: string }
    const task = await server.task('chess', 'play', { session_id })
    return task.result()
  },
}
