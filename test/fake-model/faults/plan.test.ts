// Which faults are played: by the script, by the request, by the command line; and which cannot be.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { faults } from '../../../src/fake-model/faults/faults.ts'
import { type PlannedFault, readFault } from '../../../src/fake-model/faults/plan.ts'
import { startFakeModel } from '../../../src/fake-model/server.ts'
import { given, paths, requests } from '../support.ts'

const message = async (answer: Response): Promise<string> =>
  ((await answer.json()) as { error: { message: string } }).error.message

t.test('an answer of a script plays its faults, and the next one does not', async t => {
  const { ask } = await given(t, [{ text: 'a', fault: ['length', 'type-json'] }, { text: 'b' }])
  const first = await ask('hello', { stream: true })
  t.equal(first.headers.get('content-type'), 'application/json')
  t.match(await first.text(), '"length"')
  const second = await ask('hello', { stream: true })
  t.equal(second.headers.get('content-type'), 'text/event-stream')
  t.match(await second.text(), '"stop"')
})

t.test('a request names faults in a header', async t => {
  const { url } = await given(t)
  const ask = (names: string) =>
    fetch(`${url}${paths.chat}`, {
      method: 'POST',
      headers: { 'x-fake-fault': names },
      body: JSON.stringify(requests.chat),
    })
  t.match(await (await ask('length, no-usage')).json(), {
    usage: undefined,
    choices: [{ finish_reason: 'length' }],
  })
  t.match(await (await ask('')).json(), { choices: [{ finish_reason: 'stop' }] })
  const unknown = await ask('length,lenght')
  t.equal(unknown.status, 400)
  t.equal(await message(unknown), 'there is no fault lenght; reprise model fake --faults lists them')
})

t.test('the command line names faults for each request, or for one', async t => {
  const planned = ['no-usage', 'length@2'].map(name => readFault(name) as PlannedFault)
  const model = await startFakeModel({ faults: planned })
  t.teardown(() => model.close())
  const reasons: unknown[] = []
  for (let n = 0; n < 3; n++) {
    const answer = await fetch(`${model.url}${paths.chat}`, {
      method: 'POST',
      body: JSON.stringify(requests.chat),
    })
    const { choices, usage } = (await answer.json()) as {
      choices: { finish_reason: string }[]
      usage?: object
    }
    reasons.push(choices[0]?.finish_reason)
    t.equal(usage, undefined)
  }
  t.same(reasons, ['stop', 'length', 'stop'])
  for (const [name, problem] of [
    ['lenght', /^there is no fault lenght/],
    ['length@', /must be the number of a request, from 1$/],
    ['length@0', /must be the number/],
    ['length@1@2', /must be the number/],
  ] as const) {
    t.match(readFault(name), problem)
  }
})

t.test('a fault that makes no sense for a request is told in words, and nothing is played', async t => {
  const { post } = await given(t, [
    { fault: 'index-as-text' },
    { fault: 'crlf' },
    { fault: 'cut-in-body' },
    { fault: 'pings-only' },
  ])
  const refused = async (protocol: 'chat' | 'messages', stream: boolean) => {
    const answer = await post(paths[protocol], { ...requests[protocol], stream })
    t.equal(answer.status, 400)
    return message(answer)
  }
  t.equal(
    await refused('messages', true),
    'the fault index-as-text does not exist in Anthropic Messages; it can be played in chat',
  )
  t.equal(await refused('chat', false), 'the fault crlf needs a request with "stream": true')
  t.equal(await refused('chat', true), 'the fault cut-in-body needs a request without "stream": true')
  t.match(await refused('chat', true), /pings-only does not exist in OpenAI Chat Completions/)
})

t.test('the server lists its faults, each has a name and a line, and the page has them all', async t => {
  const { url } = await given(t)
  const listed = (await (await fetch(`${url}/faults`)).json()) as { name: string; about: string }[]
  t.equal(listed.length, faults.length)
  t.equal(new Set(listed.map(({ name }) => name)).size, faults.length)
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/fake-model.md'), 'utf8')
  for (const { name, about } of listed) {
    t.match(name, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    t.match(about, /^[A-Z].+\.$/)
    t.ok(page.includes(`| \`${name}\` | ${about.replaceAll('|', '\\|')}`), `docs/fake-model.md has ${name}`)
  }
})
