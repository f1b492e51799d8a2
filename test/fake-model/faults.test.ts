// What a fake model can do wrong when it is told to.
import { createServer } from 'node:http'
import t from 'tap'
import { startFakeModel } from '../../src/fake-model/server.ts'
import { dataOf, given } from './support.ts'

t.test('an error has the status, the words and the headers of the script', async t => {
  const { ask } = await given(t, [
    { error: { status: 429, message: 'slow down', headers: { 'retry-after': '3' } } },
    { error: { status: 502, body: '<html>bad gateway</html>' } },
    { error: { status: 503, body: 'busy' } },
    { error: { status: 200, body: '{}', headers: { 'Content-Type': 'application/json' } } },
  ])
  const busy = await ask('hello', { stream: true })
  t.same([busy.status, busy.headers.get('retry-after')], [429, '3'])
  t.same(await busy.json(), { error: { message: 'slow down' } })
  for (const [status, type, body] of [
    [502, 'text/html', '<html>bad gateway</html>'],
    [503, 'text/plain', 'busy'],
    [200, 'application/json', '{}'],
  ]) {
    const answer = await ask()
    t.same([answer.status, answer.headers.get('content-type'), await answer.text()], [status, type, body])
  }
})

t.test('a connection that is cut breaks after the last piece has arrived', async t => {
  const { ask } = await given(t, [
    { text: 'half an', cut: true },
    { cut: true, text: 'half of it' },
  ])
  const answer = await ask('hello', { stream: true })
  let text = ''
  await t.rejects(async () => {
    for await (const bytes of answer.body ?? []) text += Buffer.from(bytes).toString()
  }, /terminated/)
  t.match(dataOf(text).at(-2), '"an"')
  t.notMatch(text, 'DONE')
  await t.rejects((await ask()).text(), 'a whole answer breaks in its middle')
})

t.test('an answer that hangs says its pieces and stays open until its reader goes', async t => {
  const { ask, asked } = await given(t, [{ text: 'wait', hang: true }])
  const answer = await ask('hello', { stream: true })
  const reader = answer.body?.getReader()
  let text = ''
  while (!text.includes('"stop"')) text += Buffer.from((await reader?.read())?.value ?? []).toString()
  const more = reader?.read()
  const silent = new Promise(resolve => setTimeout(resolve, 50, 'silent'))
  t.equal(await Promise.race([more, silent]), 'silent')
  await reader?.cancel()
  await asked[0]?.closed
})

t.test('a delay comes before the head, and pauses come between the pieces', async t => {
  const { ask } = await given(t, [
    { delay_ms: 60, error: { status: 401 } },
    { text: 'a b c', token_ms: 20 },
  ])
  const began = performance.now()
  t.equal((await ask()).status, 401)
  t.ok(performance.now() - began >= 55, 'the head waits')
  const next = performance.now()
  await (await ask('hello', { stream: true })).text()
  t.ok(performance.now() - next >= 55, 'the end waits')
})

t.test('whoever goes away during a delay is not answered, and the next one is', async t => {
  const { ask, asked, whole, url } = await given(t, [{ delay_ms: 100_000 }, { text: 'next' }])
  const gone = new AbortController()
  const body = '{"messages":[{"role":"user","content":"hello"}]}'
  const given_up = fetch(`${url}/v1/chat/completions`, { method: 'POST', body, signal: gone.signal })
  while (asked.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
  gone.abort()
  await t.rejects(given_up)
  await asked[0]?.closed
  t.match(await whole(), { choices: [{ message: { content: 'next' } }] })
  t.equal((await ask()).status, 500)
})

t.test('a taken port is refused, and closing lets go of open answers', async t => {
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  await t.rejects(startFakeModel({ port }), { code: 'EADDRINUSE' })
  const model = await startFakeModel({ answers: [{ hang: true }] })
  const body = '{"stream":true,"messages":[{"role":"user","content":"hello"}]}'
  const answer = await fetch(`${model.url}/v1/chat/completions`, { method: 'POST', body })
  await model.close()
  await t.rejects(answer.text())
  await model.close()
})
