// What the table of behaviours cannot say: mistakes of a program, which are errors at once, and what a client leaves behind.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { Reprise } from '../../library/client/index.ts'
import { noPython, python } from '../python-agent/peer.ts'
import type { Exchange } from './behaviours.ts'
import { pythonPath } from './python.ts'
import { scriptedServer } from './scripted-server.ts'

const task = { object: 'task', id: 't1', status: 'completed', output: [] }
const inEnvelope = (result: unknown) => ({ jsonrpc: '2.0', id: 'req_1', result })
const created: Exchange = {
  on: 'POST /v1/tasks',
  reply: { headers: { 'x-ignored-fields': 'agent_confg' }, json: inEnvelope(task) },
}
const frame = { type: 'task.created', sequence_number: 0, task_id: 't1', task }
const follows: Exchange = {
  on: 'GET /v1/tasks/t1/events',
  reply: { stream: [`id: 0\ndata: ${JSON.stringify(inEnvelope(frame))}\n\n`, { until: 99 }] },
}
const hi = { user_message_content: 'Hi' }

/** What a program of Python prints, line by line. */
const printedBy = async (program: string, url: string): Promise<string[]> => {
  const { stdout } = await promisify(execFile)(python, ['-c', program], {
    env: { PATH: process.env.PATH, PYTHONPATH: pythonPath, PYTHONDONTWRITEBYTECODE: '1', REPRISE_URL: url },
  })
  return stdout.trim().split('\n')
}

t.test('a body that has no JSON', async t => {
  const { url, asked } = await scriptedServer(t, [created])
  const reprise = new Reprise({ baseUrl: url })
  const metadata: Record<string, unknown> = {}
  metadata.metadata = metadata
  await t.rejects(reprise.tasks.create({ ...hi, metadata }), { name: 'TypeError', message: /circular/ })
  t.same(asked, [])
})

t.test('a token that no header may have', async t => {
  const { url, asked } = await scriptedServer(t, [created])
  t.throws(() => new Reprise({ baseUrl: url, token: 'sec\nret' }), {
    name: 'TypeError',
    message: /^the token has a line break (?!.*sec\n)/,
  })
  await new Reprise({ baseUrl: url, token: 'secret\n', onWarning: () => {} }).tasks.create(hi)
  t.match(asked, [{ headers: { authorization: 'Bearer secret' } }], 'the end of a file is no part of it')
})

t.test('a function for warnings that throws', async t => {
  const { url, asked, left } = await scriptedServer(t, [created])
  const wrong = new Error('no warnings here')
  const onWarning = () => {
    throw wrong
  }
  await t.rejects(new Reprise({ baseUrl: url, onWarning }).tasks.create(hi), wrong)
  t.equal(asked.length, 1, 'the request is sent once')
  await left()
})

t.test('a program ends when the task that it follows has ended', async t => {
  const { url } = await scriptedServer(t, [
    { on: 'GET /v1/tasks/t1/events?after=2&limit=1', reply: { json: inEnvelope([]) } },
    { on: 'GET /v1/tasks/t1/events', reply: { status: 204 } },
    { on: 'GET /v1/tasks/t1', reply: { json: inEnvelope(task) } },
  ])
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  t.match(await new Reprise({ baseUrl: url }).tasks.follow('t1', { after: 3 }).result(), task)
  t.equal(timers(), before, 'no timer is left')
})

t.test('a second iteration of a run', async t => {
  const { url, left } = await scriptedServer(t, [follows])
  const run = new Reprise({ baseUrl: url }).tasks.follow('t1')
  for await (const _ of run) {
    await t.rejects(run[Symbol.asyncIterator]().next(), { message: 'this run is being iterated already' })
    break
  }
  await left()
})

t.test('the same mistakes in Python', { skip: noPython }, async t => {
  const { url, asked, left } = await scriptedServer(t, [created, created, created])
  const program = `import asyncio, reprise

def refuse(warning):
    raise KeyError(warning)

body = {"user_message_content": "Hi"}
circle = {**body, "metadata": {}}
circle["metadata"]["metadata"] = circle["metadata"]
attempts = [
    lambda: reprise.Reprise(token="sec\\nret"),
    lambda: reprise.Reprise().tasks.create(circle),
    lambda: reprise.Reprise(token="secret\\n", on_warning=print).tasks.create(body),
    lambda: reprise.Reprise(on_warning=refuse).tasks.create(body),
    lambda: asyncio.run(reprise.AsyncReprise(on_warning=refuse).tasks.create(body)),
]
for attempt in attempts:
    try:
        attempt()
    except Exception as error:
        print(type(error).__name__, error)
`
  const printed = await printedBy(program, url)
  const ignored = 'the server does not know the field agent_confg, and ignores it'
  t.match(printed, [
    /^ValueError the token has a line break .* as the server printed it$/,
    'ValueError Circular reference detected',
    ignored,
    `KeyError '${ignored}'`,
    `KeyError '${ignored}'`,
  ])
  t.equal(asked.length, 3, 'each request is sent once')
  t.match(asked[0]?.headers, { authorization: 'Bearer secret' })
  await left()
})

t.test(
  'a second iteration of a run, and a wait for the result within the first, in Python',
  { skip: noPython },
  async t => {
    const { url, left } = await scriptedServer(t, [follows, follows])
    const program = `import asyncio, reprise

def told(error):
    print(type(error).__name__, error)

run = reprise.Reprise().tasks.follow("t1")
for frame in run:
    for use in (lambda: iter(run), run.result):
        try:
            use()
        except RuntimeError as error:
            told(error)
    break

async def main():
    run = reprise.AsyncReprise().tasks.follow("t1")
    async for frame in run:
        try:
            run.__aiter__()
        except RuntimeError as error:
            told(error)
        try:
            await run.result()
        except RuntimeError as error:
            told(error)
        break

asyncio.run(main())
`
    const printed = await printedBy(program, url)
    const told = [
      'RuntimeError this run is being iterated already',
      'RuntimeError this run is being iterated here: ask for the result after the iteration',
    ]
    t.same(printed, [...told, ...told])
    await left()
  },
)
