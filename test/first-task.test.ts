import t from 'tap'
import { serveHere } from './support/server.ts'

t.test('a task that was created is answered with its output', async t => {
  const { api } = await serveHere(t)
  const answer = await api('POST', '/tasks', {
    user_message_content: 'hello',
    stream: false,
    client_id: 'echo',
  })
  t.equal(answer.status, 200)
  const { result } = (await answer.json()) as { result: { status: string; output: unknown[] } }
  t.match(result, {
    status: 'completed',
    output: [{ type: 'message', message_content: [{ type: 'output_text', text: 'hello' }] }],
  })
})
