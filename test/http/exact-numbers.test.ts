// Numbers keep their text on their way through the server, where they are only passed on. Where the server must read a
// number and cannot hold it, it refuses the number. Bodies are sent as text, and answers are compared as text.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { unpack } from '../../src/platform/files/tar.ts'
import { isExportFile } from '../../src/proof/export/format.ts'
import fc from '../support/fast-check.ts'
import { brief, read, type TaskJson } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { modules } from './env-calls.ts'

const { api } = await serveHere(t, { ENV_PATH: modules })
const numbers = [
  '9007199254740993',
  '2512292042121000001',
  '123456789012345678901234567890',
  '1e400',
  '-1E+400',
  '1e-400',
  '-0',
  '0.1000000000000000055511151231257827',
  '1.0',
  '-2.50',
  '1E5',
  '0.00000001',
]
/** An object with all kinds of numbers, also deep inside, and with texts that look like numbers. */
const all = `{"n":[${numbers.join(',')}],"deep":{"__n":[[{"x":${numbers[1]}}]]},"text":"[1.0,-0,${numbers[0]}]"}`

const send = (method: string, where: string, body?: string) => read(api(method, where, body))
const create = (more: string) =>
  send('POST', '/tasks', `{"user_message_content":"x","stream":false,"client_id":"echo",${more}}`)
const made = async (more: string): Promise<string> => {
  const { status, body, text } = await create(more)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return body.result.id
}

const root = mkdtempSync(path.join(tmpdir(), 'numbers-'))
t.teardown(() => rmSync(root, { recursive: true, force: true }))
let exports = 0
/** The payloads of the events in the export of a task, one after another. */
const exported = async (id: string): Promise<string> => {
  const answer = await api('GET', `/audit/export?task_id=${id}`)
  const folder = path.join(root, String(++exports))
  await unpack(await archive(folder, answer), folder, isExportFile)
  return readdirSync(path.join(folder, 'events'))
    .flatMap(name =>
      readFileSync(path.join(folder, 'events', name), 'utf8')
        .trim()
        .split('\n'),
    )
    .map(line => (JSON.parse(line) as { payload: string }).payload)
    .join('\n')
}
const archive = async (folder: string, answer: Response): Promise<string> => {
  writeFileSync(`${folder}.tar.gz`, Buffer.from(await answer.arrayBuffer()))
  return `${folder}.tar.gz`
}

/** A rollout has no metadata. It shows the arguments of the model. */
const given = (text: string) => `"metadata":{"mine":${text}},"inference_args":{"mine":${text}}`
/** Everything that shows what a task was given. */
const shown: Record<string, (id: string) => Promise<string>> = {
  task: async id => (await send('GET', `/tasks/${id}`)).text,
  list: async () => (await send('GET', '/tasks?limit=1')).text,
  stream: async id => (await send('GET', `/tasks/${id}/events`)).text,
  'earlier state': async id => (await send('GET', `/tasks/${id}?as_of=2`)).text,
  audit: async id => (await send('GET', `/audit/events?stream=task-${id}`)).text,
  rollouts: async id => (await send('GET', `/tasks/${id}/rollouts`)).text,
  export: exported,
}

t.test('metadata are shown everywhere as they were sent', async t => {
  const id = await made(given(all))
  for (const [where, textOf] of Object.entries(shown)) t.ok((await textOf(id)).includes(all), where)
  const replayed = await send('POST', `/tasks/${id}/replay`)
  t.match(replayed.text, '"matches":true')
  const { text: audit } = await send('GET', `/audit/events?stream=task-${id}`)
  t.ok(audit.includes(JSON.stringify(all).slice(1, -1)), 'the payload itself')
  const fork = await send('POST', `/tasks/${id}/fork`, '{"at":1}')
  t.ok((await shown.audit?.((fork.body as unknown as TaskJson).id))?.includes(all), 'fork')
})

t.test('so are those of a long body, which a thread reads, and of a long event', async t => {
  for (const length of [100_000, 600_000]) {
    const id =
      await made(`"history_messages":[{"type":"message","role":"user","message_content":"${'x'.repeat(length)}"}],
      ${given(all)}`)
    for (const [where, textOf] of Object.entries(shown)) t.ok((await textOf(id)).includes(all), where)
  }
})

t.test('any JSON keeps its numbers from the create to the export', async () => {
  const number = fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,24})?([eE][-+]?\d{1,4})?$/)
  const scalar = fc.oneof(
    { weight: 3, arbitrary: number },
    fc.string().map(text => JSON.stringify(text)),
    number.map(text => JSON.stringify(`{"a":[${text},${text}]}`)),
    fc.constantFrom('true', 'null'),
  )
  const { value } = fc.letrec<{ value: string }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar,
      fc.array(tie('value'), { maxLength: 5 }).map(items => `[${items.join(',')}]`),
      fc
        .array(tie('value'), { maxLength: 5 })
        .map(items => `{${items.map((item, n) => `"k${n}":${item}`).join(',')}}`),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(value, async text => {
      const id = await made(given(text))
      for (const [where, textOf] of Object.entries(shown)) {
        if (!(await textOf(id)).includes(`"mine":${text}`)) throw new Error(`${where}: ${text}`)
      }
    }),
    { numRuns: 12 },
  )
})

t.test('definitions and arguments of tools are passed on as they were sent', async t => {
  for (const n of numbers) {
    const parameters = `{"type":"object","properties":{"n":{"type":"number","maximum":${n},"minimum":${n}}}}`
    const tools = `[{"type":"function","function":{"name":"pay","description":"","strict":false,"parameters":${parameters}}}]`
    const script = `{"agent_id":"script","script":[{"tool":"pay","arguments":{"n":${n}}}]}`
    const { body, text } = await send(
      'POST',
      '/tasks',
      `{"user_message_content":"x","stream":false,"client_tools":${tools},"agent_config":${script}}`,
    )
    t.match(body.result, { status: 'input-required' }, text)
    t.match(body.result.output, [{ arguments: `{"n":${n}}` }])
    t.ok((await send('GET', `/tasks/${body.result.id}/rollouts`)).text.includes(parameters))
    t.ok((await send('GET', `/tasks/${body.result.id}/rollouts?format=atif`)).text.includes(`{"n":${n}}`))
  }
})

t.test('two numbers are two requests, and two texts of one number are one', async t => {
  const status = async (id: string, n: string) =>
    (await create(`"task_id":"${id}","metadata":{"order":${n}}`)).status
  const pairs: [string, string, number][] = [
    ['9007199254740992', '9007199254740993', 409],
    ['1e400', '1e401', 409],
    ['0.1', '0.1000000000000000055511151231257827', 409],
    ['1e400', '10E399', 200],
    ['1', '1.0', 200],
    ['100000', '1E5', 200],
    ['0', '-0', 200],
  ]
  for (const [n, [one, other, expected]] of pairs.entries()) {
    t.equal(await status(`retried-${n}`, one), 200)
    t.equal(await status(`retried-${n}`, other), expected, `${one} and ${other}`)
  }
})

t.test('a number that the server reads is refused where it stands when it cannot be held', async t => {
  const problems = async (more: string) => brief((await create(more)).body.detail)
  t.same(await problems('"metadata":9007199254740993'), ['body metadata dict_type'])
  t.same(await problems('"metadata":1.0'), ['body metadata dict_type'])
  t.same(await problems('"task_id":9007199254740993'), ['body task_id string_type'])
  const { body: session } = await send('POST', '/env/create', '{"env_class_path":"echo.mjs"}')
  const id = (session as unknown as { session_id: string }).session_id
  const seed = (n: string) => send('POST', '/env/reset', `{"session_id":"${id}","seed":${n}}`)
  for (const n of ['7.0', '70e-1']) t.equal((await seed(n)).status, 200, n)
  t.same(brief((await seed('9007199254740993')).body.detail), ['body seed less_than_equal'])
  t.same(brief((await seed('1e400')).body.detail), ['body seed finite_number'])
  t.same(brief((await seed('7.00000000000000000001')).body.detail), ['body seed number_not_exact'])
  const job = '{"name":5,"every_seconds":3600.0,"max_runs":1E1,"task":{"user_message_content":"x"}}'
  t.same(brief((await send('POST', '/cron/jobs', job)).body.detail), ['body name string_type'])
  const ratio = (n: string) => `"agent_config":{"compress_threshold_token_ratio":${n}}`
  t.equal((await create(ratio('0.70'))).status, 200)
  const { detail } = (await create(ratio('0.70000000000000000001'))).body
  const loc = ['body', 'agent_config', 'compress_threshold_token_ratio']
  t.match(detail, [{ loc, type: 'number_not_exact', msg: /0\.70000000000000000001 as 0\.7$/ }])
})

t.test('environments in both languages get integers of any size', async t => {
  for (const [module, kind] of [
    ['echo.mjs', 'bigint'],
    ['echo.py', 'int'],
  ]) {
    const more = `"session_id":"in-${kind}","env_class_path":"${module}","env_init_kwargs":{"big":${numbers[2]}}`
    t.equal((await send('POST', '/env/create', `{${more}}`)).status, 200)
    const step = (n: string) =>
      send('POST', '/env/step', `{"session_id":"in-${kind}","tool_name":"show","tool_args":{"n":${n}}}`)
    for (const n of numbers.slice(0, 3)) {
      const { text } = await step(n)
      t.ok(text.includes(`"message_content":"${n} is a ${kind}"`), text)
      t.ok(text.includes(`"kwargs":{"big":${numbers[2]}}`) && text.includes(`"args":{"n":${n}}`), text)
    }
    const { body } = await step('1E5')
    t.match(body, { observation: { args: { n: 100_000 } } })
    for (const n of ['1e400', numbers[7] ?? '']) {
      const { text } = await step(n)
      t.ok(text.includes(`args.n`) && text.includes(`is ${n}, which`) && text.includes('incomplete'), text)
    }
    t.ok((await send('GET', `/audit/events?stream=env-in-${kind}`)).text.includes(`{"n":${numbers[1]}}`))
  }
})

t.test('the sql environment binds integers of 64 bits exactly, and refuses larger ones', async t => {
  await send('POST', '/env/create', '{"session_id":"sql","env_id":"sql"}')
  const step = async (tool: string, args: string) =>
    (await send('POST', '/env/step', `{"session_id":"sql","tool_name":"${tool}","tool_args":${args}}`)).text
  await step('execute', '{"sql":"CREATE TABLE k (id INTEGER)"}')
  for (const n of ['2512292042121000001', '-9223372036854775808', '9223372036854775807']) {
    t.match(await step('execute', `{"sql":"INSERT INTO k VALUES (:n)","params":{"n":${n}}}`), 'completed')
    t.match(await step('query', `{"sql":"SELECT id FROM k WHERE id = ?","params":[${n}]}`), `"id":"${n}"`)
  }
  const tooLarge = await step('query', '{"sql":"SELECT ?","params":[9223372036854775808]}')
  t.match(tooLarge, '9223372036854775808 is no integer of 64 bits: bind it as a string')
})
