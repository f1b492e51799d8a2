// The imitations themselves: each rule refuses what it should, in the form of its vendor, and good requests are accepted.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Answer } from '../../../src/fake-model/answer.ts'
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { type ImitationName, imitationNames, imitations } from './all.ts'
import { type Bad, type Break, bad, badResponses } from './bad.ts'
import { firstResponse, firstTurn, secondResponse, secondTurn } from './good.ts'
import { type Imitation, key, type Rule } from './imitation.ts'
import { serveImitation } from './serve.ts'

const script: Answer[] = [
  {
    when: '1+1',
    reasoning: 'I add, twice.',
    tool_calls: [
      { name: 'add', arguments: { a: 1 } },
      { name: 'add', arguments: { a: 2 } },
    ],
  },
  { when: 'two', text: 'It is two.' },
]

type Endpoint = Awaited<ReturnType<typeof serveImitation>>
const pathOf = (name: ImitationName): string => {
  const { chat, messages } = (imitations[name] as Imitation).paths
  return chat ?? messages ?? ''
}
const post = (
  { origin, headers }: Endpoint,
  where: string,
  body: unknown,
  own: Record<string, string> = headers,
) =>
  fetch(`${origin}${where}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...own },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const queryOf = (name: ImitationName): string => new URL(imitations[name].base, 'http://x').search

/** The first two turns of a conversation: their requests, and the answers. */
const converse = async (t: Test, name: ImitationName) => {
  const endpoint = await serveImitation(t, name, script)
  const where = `${pathOf(name)}${queryOf(name)}`
  const first = firstTurn(name, endpoint.model)
  const calls = (await (await post(endpoint, where, first)).json()) as Fields
  const second = secondTurn(name, first, calls)
  return { endpoint, where, first, calls, second }
}
const respond = async (t: Test) => {
  const endpoint = await serveImitation(t, 'openai', script)
  const first = firstResponse(endpoint.model)
  const calls = (await (await post(endpoint, '/v1/responses', first)).json()) as Fields
  return { endpoint, second: secondResponse(first, calls) }
}

for (const name of imitationNames) {
  t.test(`${name} accepts a good conversation, streamed and whole`, async t => {
    const { endpoint, where, first, second } = await converse(t, name)
    for (const body of [first, second]) {
      const streamed = await post(endpoint, where, { ...body, stream: true })
      t.equal(streamed.status, 200)
      t.match(streamed.headers.get('content-type'), 'text/event-stream')
      t.match(await streamed.text(), body === first ? /"add"/ : /two\./)
    }
    const last = await post(endpoint, where, second)
    t.match(JSON.stringify(await last.json()), /It is two\./)
    t.same(endpoint.refusals, [])
    t.equal(endpoint.requests.length, 4)
    t.match(endpoint.requests[3], { path: where, body: { model: endpoint.model }, refusal: undefined })
  })
}
t.test('openai accepts a good conversation in Responses', async t => {
  const { endpoint, second } = await respond(t)
  for (const stream of [true, false]) {
    const answer = await post(endpoint, '/v1/responses', { ...second, stream })
    t.equal(answer.status, 200)
    t.match(await answer.text(), /two\./)
  }
  t.same(endpoint.refusals, [])
})
t.test(
  'anthropic accepts what newer clients send: the key as a bearer token, and system among the messages',
  async t => {
    const { endpoint, where, second } = await converse(t, 'anthropic')
    const messages = [{ role: 'system', content: 'You add.' }, ...listOf(second.messages)]
    const headers = { authorization: `Bearer ${key}`, 'anthropic-version': '2026-10-21' }
    const answer = await post(endpoint, where, { ...second, messages }, headers)
    t.equal(answer.status, 200)
    t.match(await answer.text(), /It is two\./)
  },
)

/** Sends a broken request, and checks that the rule refuses it in the words and the form of the vendor. */
const refuses = async (t: Test, endpoint: Endpoint, rule: Rule, where: string, made: Bad) => {
  const [pathname = '', query = ''] = where.split('?')
  const target = 'query' in made ? `${pathname}${made.query}` : query === '' ? pathname : where
  const body = 'body' in made ? made.body : 'raw' in made ? made.raw : { stream_options: {} }
  const headers = 'headers' in made ? made.headers : endpoint.headers
  const answer = await post(endpoint, target, body, headers)
  const { status = 400, name, source } = rule
  t.equal(answer.status, status)
  const refused = endpoint.refusals.at(-1)
  t.match(refused, { rule: name, source, status })
  t.equal(endpoint.requests.at(-1)?.refusal, refused)
  return { told: await answer.json(), message: refused?.message ?? '' }
}
/** Where each vendor has the message of an error. */
const messageIn: Record<ImitationName, (told: Fields) => unknown> = {
  openai: ({ error }) => fieldsOf(error).message,
  azure: ({ error }) => fieldsOf(error).message,
  anthropic: ({ type, error }) => type === 'error' && fieldsOf(error).message,
  gemini: told => fieldsOf(fieldsOf(listOf(told)[0]).error).message,
  mistral: ({ object, message }) => object === 'error' && (fieldsOf(fieldsOf(message).detail).msg ?? message),
  deepseek: ({ error }) => fieldsOf(error).message,
  openrouter: ({ error }) => fieldsOf(error).message,
  vllm: ({ error }) => fieldsOf(error).message,
  'llama.cpp': ({ error }) => fieldsOf(error).message,
  ollama: ({ error }) => fieldsOf(error).message,
}

for (const name of imitationNames) {
  const rules: readonly Rule[] = imitations[name].rules
  t.test(`${name} refuses what breaks one of its ${rules.length} rules`, async t => {
    const { endpoint, where, second } = await converse(t, name)
    const responses = name === 'openai' ? await respond(t) : undefined
    for (const rule of rules) {
      const inResponses = badResponses[rule.name]
      const change: Break | undefined = bad[name][rule.name] ?? inResponses
      if (change === undefined) {
        t.fail(`no request breaks ${rule.name}`)
        continue
      }
      const { told, message } =
        inResponses !== undefined && responses !== undefined
          ? await refuses(t, responses.endpoint, rule, '/v1/responses', change(responses.second))
          : await refuses(t, endpoint, rule, where, change(second))
      const said = messageIn[name](told as Fields)
      if (rule.status === 422) t.match(told, { message: { detail: [{ msg: message, loc: ['body'] }] } })
      else t.equal(said, message, rule.name)
    }
  })
}

t.test('each rule and each trait cites a public source', async t => {
  for (const name of imitationNames) {
    const { rules, traits } = imitations[name] as Imitation
    const names = rules.map(rule => rule.name)
    t.equal(new Set(names).size, names.length, `${name}: names of rules`)
    for (const { source, about } of [...rules, ...traits]) {
      t.match(source, /^https:\/\/[\w.-]+\/\S+$/, `${name}: ${about}`)
      t.match(about, /^[a-zA-Z]/)
    }
  }
})

t.test('a path, a body or a script that makes no sense is refused in the form of the vendor', async t => {
  const endpoint = await serveImitation(t, 'gemini', [{ text: 'a', fault: 'crlf' }])
  const lost = await post(endpoint, '/v1/chat/completions', {})
  t.same(
    [lost.status, await lost.json()],
    [
      404,
      [{ error: { code: 404, message: 'there is nothing at /v1/chat/completions', status: 'NOT_FOUND' } }],
    ],
  )
  const broken = await post(endpoint, pathOf('gemini'), '{')
  t.match(await broken.json(), [{ error: { message: 'messages must be a list that is not empty' } }])
  const whole = await post(endpoint, pathOf('gemini'), firstTurn('gemini', endpoint.model))
  t.match(await whole.json(), [{ error: { message: /the fault crlf needs/ } }])
  t.equal(endpoint.refusals.length, 3)
})

t.test('faults and errors are played with the traits and the form of the vendor', async t => {
  const endpoint = await serveImitation(t, 'mistral', [
    { text: 'hello you', fault: 'cut-in-text' },
    { error: { status: 503, message: 'overloaded' } },
  ])
  const body = { ...firstTurn('mistral', endpoint.model), stream: true }
  await t.rejects((await post(endpoint, pathOf('mistral'), body)).text(), /terminated/)
  const error = await post(endpoint, pathOf('mistral'), body)
  t.match(await error.json(), { object: 'error', message: 'overloaded', type: 'internal_server_error' })
})

t.test('rules.md lists the rules and the traits of all vendors', async t => {
  const lines = imitationNames.flatMap(name => {
    const { title, rules, traits } = imitations[name] as Imitation
    const row = (what: string, about: string, source: string) =>
      `| ${what} | ${about.replaceAll('|', '\\|')} | <${source}> |`
    return [
      `\n## ${title} (\`${name}\`)\n`,
      '| Refuses, or sends | What | Source |',
      '|---|---|---|',
      ...rules.map(({ name: rule, status = 400, about, source }) =>
        row(`${status} \`${rule}\``, about, source),
      ),
      ...traits.map(({ about, source }) => row('sends', about, source)),
    ]
  })
  const head = [
    '# What the imitations refuse and send',
    '',
    'Made from the rules and the traits in this folder: `REWRITE=1 npm test -- test/models/imitations/imitations.test.ts`.',
  ]
  const file = path.resolve(import.meta.dirname, 'rules.md')
  const text = `${[...head, ...lines].join('\n')}\n`
  if (process.env.REWRITE === '1') writeFileSync(file, text)
  t.equal(readFileSync(file, 'utf8'), text)
})
