// reprise model check, as a process, against strict imitations of vendors and against the fake model.
import t, { type Test } from 'tap'
import type { Answer } from '../../src/fake-model/answer.ts'
import { readFault } from '../../src/fake-model/faults/plan.ts'
import { startFakeModel } from '../../src/fake-model/server.ts'
import type { ImitationName } from '../models/imitations/all.ts'
import { key } from '../models/imitations/imitation.ts'
import { serveImitation } from '../models/imitations/serve.ts'
import { runReprise } from '../support/server.ts'

type Told = {
  works: boolean
  findings: { name: string; works: string; says: string }[]
  dialect: string
  switches: string
  like?: string
}

/** A model that does what the questions want. */
const able: Answer[] = [
  { when: 'Say hello', text: 'Hello to you, my friend.' },
  {
    when: '17*23',
    reasoning: 'I need it.',
    tool_calls: [{ name: 'calculator', arguments: { expression: '17*23' } }],
  },
  {
    when: '19*21',
    reasoning: 'I need both.',
    tool_calls: [
      { name: 'calculator', arguments: { expression: '19*21' } },
      { name: 'calculator', arguments: { expression: '18*22' } },
    ],
  },
  { when: 'of the tool', text: 'It was 42.' },
  { when: 'colour has this', text: 'Red.' },
  { when: 'picture', text: 'red' },
  { when: 'document', text: 'heron' },
  { when: 'From the tool', text: 'red' },
  { when: 'Say yes', error: { status: 404, message: 'no such model' } },
  { when: 'Eiffel', text: '{"city":"Paris","country":"France"}' },
  { when: 'lantern', text: 'The word is lantern.' },
  { when: '42', text: 'It is 42.' },
  { when: '396', text: 'They are 399 and 396.' },
  { when: 'goodbye', text: 'Goodbye and see you soon.' },
]

const check = async (env: Record<string, string>, ...options: string[]) =>
  runReprise(['model', 'check', ...options], env)
const told = async (env: Record<string, string>) => {
  const { code, stdout, stderr } = await check(env, '--json')
  const said = JSON.parse(stdout || '{}') as Told
  const works = Object.fromEntries((said.findings ?? []).map(({ name, works }) => [name, works]))
  return { code, stderr, said, works }
}
const imitated = async (t: Test, name: ImitationName, more: Record<string, string> = {}) => {
  const endpoint = await serveImitation(t, name, able)
  const env = { MODEL_BASE_URL: endpoint.url, MODEL: endpoint.model, MODEL_API_KEY: key, ...more }
  return { endpoint, env }
}

/** For each vendor, the switches that the check finds when it begins with the plain ones. */
const found: Partial<Record<ImitationName, string>> = {
  openai: 'max_tokens=max_completion_tokens',
  gemini: 'calls=signed',
  mistral: 'usage=off roles=system names=off call_ids=nine order=alternate files=document_url',
  deepseek: 'reasoning=required images=off schema=json_object',
  openrouter: '',
  vllm: '',
  'llama.cpp': 'order=alternate files=text',
  ollama: 'files=text',
}
for (const [name, switches] of Object.entries(found)) {
  t.test(`it finds the switches of ${name}, with which the agent works without a refusal`, async t => {
    const { env, endpoint } = await imitated(t, name as ImitationName, { MODEL_DIALECT: 'plain' })
    const first = await told(env)
    t.same(first.stderr, '')
    t.same(first.said.switches, switches)
    t.match(first, {
      code: 0,
      said: { works: true, dialect: 'plain' },
      works: { text: 'yes', results: 'yes' },
    })
    t.notOk(Object.values(first.works).includes('no'), JSON.stringify(first.said.findings))

    endpoint.refusals.length = 0
    const again = await told({ ...env, MODEL_SWITCHES: first.said.switches })
    t.equal(again.code, 0)
    t.same(again.said.switches, switches, 'they are enough')
    t.same(
      endpoint.refusals.filter(({ rule }) => rule !== 'model'),
      [],
      'nothing more is refused',
    )
  })
}

t.test('it says which dialect has the switches', async t => {
  const { env } = await imitated(t, 'mistral', { MODEL_DIALECT: 'plain' })
  const { said } = await told(env)
  t.equal(said.like, 'mistral')
  const own = await told({ ...env, MODEL_DIALECT: 'mistral' })
  t.match(own.said, { dialect: 'mistral', switches: '' })
  t.notOk('like' in own.said)
})

t.test('it never changes a switch that the operator has set', async t => {
  const { env } = await imitated(t, 'mistral', {
    MODEL_DIALECT: 'plain',
    MODEL_SWITCHES: 'call_ids=as_given',
  })
  const { said, works, code } = await told(env)
  t.match({ code, others: works.others }, { code: 0, others: 'no' })
  t.match(said.switches, /^usage=off(?!.*call_ids)/)
})

t.test('it checks a provider package, which has no dialect', async t => {
  const { env } = await imitated(t, 'gemini', { MODEL_PROVIDER: '@ai-sdk/openai-compatible' })
  const { code, said, works } = await told(env)
  t.match(
    { code, results: works.results, switches: said.switches },
    { code: 0, results: 'yes', switches: 'calls=signed' },
  )
  t.notOk('dialect' in said)
  const { stdout } = await check({ ...env, MODEL_SWITCHES: said.switches })
  t.match(stdout, /\(dialect ai-sdk:@ai-sdk\/openai-compatible\)\n/)
  t.match(stdout, /in which you start the server:\nexport MODEL_SWITCHES="calls=signed"\n$/)
})

t.test('people read a line for each answer, and what to paste', async t => {
  const { env } = await imitated(t, 'mistral', { MODEL_DIALECT: 'plain' })
  const { code, stdout, stderr } = await check(env)
  t.same({ code, stderr }, { code: 0, stderr: '' })
  t.match(stdout, /^magistral-medium-latest at http.*\(dialect plain\)$/m)
  t.match(stdout, /^ok {2}text {8}“Hello to you, my friend.”$/m)
  t.match(stdout, /^ok {2}tool {8}calculator \{"expression":"17\*23"\}$/m)
  t.match(stdout, /^ok {2}parallel {4}2 calls at once$/m)
  t.match(stdout, /^- {3}usage {7}the endpoint does not count tokens/m)
  t.match(
    stdout,
    /^export MODEL_DIALECT=plain\nexport MODEL_SWITCHES="usage=off .*"\n\(The dialect mistral has/m,
  )
  t.notMatch(stdout, key)
})

t.test('what a model cannot do is said', async t => {
  const fake = async (answers: Answer[], more: Record<string, string> = {}) => {
    const model = await startFakeModel({ port: 0, host: '127.0.0.1', answers })
    t.teardown(() => model.close())
    return told({ MODEL_BASE_URL: `${model.url}/v1`, MODEL: 'fake-1', ...more })
  }
  const without = (when: string, ...answers: Answer[]) => [
    ...answers,
    ...able.filter(each => each.when !== when),
  ]
  t.test('a model without tools', async t => {
    const { code, said, works } = await fake(without('17*23', { when: '17*23', text: 'It is 391.' }))
    t.match({ code, tool: works.tool, works: said.works }, { code: 1, tool: 'no', works: false })
    t.match(said.findings.find(({ name }) => name === 'tool')?.says, /called no tool and said “It is 391\.”/)
  })
  t.test('an endpoint that cuts calls off', async t => {
    const call = { name: 'calculator', arguments: { expression: '17*23' } }
    const cut = { when: '17*23', tool_calls: [call], finish_reason: 'content_filter' }
    const { code, said, works } = await fake(without('17*23', cut))
    t.match({ code, tool: works.tool }, { code: 1, tool: 'no' })
    t.match(said.findings.find(({ name }) => name === 'tool')?.says, /not whole.*content_filter/)
  })
  t.test('a model that calls one tool at a time, and does not see', async t => {
    const { code, works } = await fake([
      { when: '19*21', tool_calls: [{ name: 'calculator', arguments: { expression: '19*21' } }] },
      { when: 'colour has this', text: 'I see nothing.' },
      { when: '399', text: '399, and the other one I know.' },
      ...able,
    ])
    t.match({ code, ...works }, { code: 0, parallel: 'partly', image: 'partly', results: 'yes' })
  })
  t.test('an endpoint that ignores the schema', async t => {
    const { code, said, works } = await fake(without('Eiffel', { when: 'Eiffel', text: 'Paris, in France.' }))
    t.match({ code, schema: works.schema }, { code: 0, schema: 'no' })
    t.match(said.findings.find(({ name }) => name === 'schema')?.says, /is no JSON: “Paris, in France\.”/)
  })
  t.end()
})

t.test('faults of the fake model', async t => {
  const faulty = async (fault: string) => {
    const faults = [readFault(fault)].flatMap(each => (typeof each === 'string' ? [] : [each]))
    const model = await startFakeModel({ port: 0, host: '127.0.0.1', answers: able, faults })
    t.teardown(() => model.close())
    return told({ MODEL_BASE_URL: `${model.url}/v1`, MODEL: 'fake-1' })
  }
  t.match(
    await faulty('cut-in-text@1'),
    { code: 0, works: { text: 'yes' } },
    'one broken answer is no problem',
  )
  const cut = await faulty('cut-in-text')
  t.match(cut, { code: 1, said: { works: false, findings: [{ name: 'text', works: 'no' }] } })
  t.equal(cut.said.findings.length, 1, 'nothing else is asked')
  t.match(await faulty('no-usage'), { code: 0, works: { usage: 'partly' } })
  t.match(await faulty('cut-in-call'), { code: 1, works: { text: 'yes', tool: 'no' } })
  t.match(await faulty('arguments-encoded-twice'), { code: 1, works: { text: 'yes', tool: 'no' } })
  t.match(await faulty('finish-error'), { code: 1, works: { text: 'no' } })
})

t.test('wrong settings', async t => {
  const { env } = await imitated(t, 'vllm', { MODEL_DIALECT: 'plain' })
  const refused = async (more: Record<string, string>) => {
    const { code, said } = await told({ ...env, ...more })
    return { code, says: said.findings.map(({ name, says }) => `${name}: ${says}`) }
  }
  t.match(await refused({ MODEL: 'other' }), {
    code: 1,
    says: [
      /^text: .* answered 404: The model `other` does not exist\. \(are MODEL_BASE_URL and MODEL right\?\)$/,
    ],
  })
  t.match(await refused({ MODEL_BASE_URL: `${new URL(env.MODEL_BASE_URL).origin}/v2` }), {
    code: 1,
    says: [/^text: .* answered 404: .*nothing at/],
  })
  t.match(await refused({ MODEL_BASE_URL: 'http://127.0.0.1:1/v1' }), {
    code: 1,
    says: [/^text: the model's endpoint cannot be reached/],
  })
  const mistral = await imitated(t, 'mistral')
  const wrongKey = await check({ ...mistral.env, MODEL_API_KEY: 'sk-wrong' })
  t.equal(wrongKey.code, 1)
  t.match(wrongKey.stdout, /^NO {2}text .* 401: Unauthorized \(is MODEL_API_KEY right\?\)$/m)
  t.match(wrongKey.stdout, /cannot work with this endpoint/)
  t.notMatch(wrongKey.stdout, 'sk-wrong')

  t.match(await check({}), {
    code: 2,
    stdout: '',
    stderr: /^reprise: there is no model to check: set MODEL_BASE_URL/,
  })
  t.match(await check({ ...env, MODEL_DIALECT: 'x' }), { code: 2, stderr: /MODEL_DIALECT=x is no dialect/ })
})
