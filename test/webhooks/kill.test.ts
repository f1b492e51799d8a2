// kill -9 while a webhook delivers: nothing is lost, and the order is kept.
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { spawnServer } from '../support/server.ts'
import { receiver } from './receiver.ts'

t.test('a server that is killed again and again delivers everything, in order', async t => {
  const hook = await receiver(t)
  const dataDir = t.testdir()
  const env = { ALLOW_PRIVATE_URLS: '1' }
  let server = await spawnServer(t, dataDir, env)
  const made = (await (await server.api('POST', '/webhooks', { url: hook.url })).json()) as { secret: string }
  const tasks: string[] = []
  for (let round = 0; round < 4; round++) {
    for (let n = 0; n < 5; n++) {
      const body = { user_message_content: 'x', stream: false, client_id: 'echo' }
      const answer = (await (await server.api('POST', '/tasks', body)).json()) as { result: { id: string } }
      tasks.push(answer.result.id)
    }
    await new Promise(resolve => setTimeout(resolve, round * 7))
    await server.end('SIGKILL')
    server = await spawnServer(t, dataDir, env)
  }
  const isDone = () => new Set(hook.accepted()).size === tasks.length * 6
  await hook.until(isDone)
  const accepted = hook.accepted().map(Number)
  const firsts = accepted.filter((id, n) => accepted.indexOf(id) === n)
  t.same(
    firsts,
    [...firsts].sort((a, b) => a - b),
    'new events come in order',
  )
  const ends = hook.received.filter(({ event }) => event.data.new_status === 'completed')
  t.same([...new Set(ends.map(({ event }) => event.data.task_id))], tasks)
  for (const { body, headers } of hook.received) new Webhook(made.secret).verify(body, headers)
})
