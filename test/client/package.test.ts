// The packages as their users get them: small, alone, with types; and made of the contract.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import * as client from '../../library/client/index.ts'
import { refusals } from '../../src/contract/refusals.ts'
import { clientFiles } from '../../src/documents/client/files.ts'
import { called } from '../../src/documents/client/schemas.ts'
import { operations } from '../../src/documents/operations.ts'
import { noPython, python } from '../python-agent/peer.ts'
import '../support/built.ts'
import { agree } from './agrees.ts'
import { pythonPath } from './python.ts'

const root = path.resolve(import.meta.dirname, '../..')
const dist = path.join(root, 'dist/client')

t.test('the files of the clients are what the code gives: npm run documents', async t => {
  for (const [name, text] of Object.entries(clientFiles()))
    t.ok(readFileSync(path.join(root, name), 'utf8') === text, name)
  t.ok(Object.values(agree).every(Boolean))
})

t.test('the package for JavaScript is one small file that imports nothing', async t => {
  const text = readFileSync(path.join(dist, 'index.mjs'), 'utf8')
  t.notMatch(text, /\bimport\b|\brequire\(/)
  const size = gzipSync(text).length
  t.comment(`${size} bytes`)
  t.ok(size <= 12 * 1024, `${size} bytes`)
  const types = readdirSync(dist).filter(name => name.endsWith('.d.ts'))
  for (const name of types)
    t.notMatch(readFileSync(path.join(dist, name), 'utf8'), /typebox|src\/|node:/, name)
})

t.test('its types are enough for a program in a browser', async t => {
  const program = `import { Reprise, TaskNotFound, verifyWebhook, type Task } from 'reprise/client'
const reprise = new Reprise({ baseUrl: 'https://x', token: 't' })
const run = reprise.run(
  { user_message_content: 'hi', agent_config: { model: 'm' } },
  { tools: { ask_user: async ({ question }) => question, other: { description: 'x', run: () => 1 } }, approve: () => true },
)
for await (const frame of run) if (frame.type === 'task.text.delta') console.log(frame.delta.length)
const task: Task = await run.result()
for await (const { id, status } of reprise.tasks.list({ status: ['failed'] })) console.log(id, status)
for await (const event of reprise.events({ types: ['TaskStatusChanged'] }))
  if (event.type === 'TaskStatusChanged') console.log(event.new_status, event.position)
try { await reprise.tasks.get(task.id) } catch (error) { if (error instanceof TaskNotFound) console.log(error.hint) }
console.log((await verifyWebhook('', new Headers(), 'whsec_')).type)
// @ts-expect-error a field with another name
await reprise.tasks.create({ user_message: 'hi' })
`
  const folder = t.testdir({
    'program.ts': program,
    'package.json': '{"type":"module"}',
    node_modules: { reprise: {} },
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        ...{
          target: 'ES2022',
          module: 'ESNext',
          moduleResolution: 'Bundler',
          lib: ['ES2024', 'DOM'],
          types: [],
        },
        ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true },
      },
    }),
  })
  const installed = path.join(folder, 'node_modules/reprise')
  cpSync(dist, path.join(installed, 'dist/client'), { recursive: true })
  cpSync(path.join(root, 'package.json'), path.join(installed, 'package.json'))
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: folder })
  t.equal(status, 0, `${stdout}`)
})

t.test('no type of the client for Python hides another one of its name', async t => {
  const text = readFileSync(path.join(pythonPath, 'reprise/types.py'), 'utf8')
  const names = [...text.matchAll(/^(?:class (\w+)\(|(\w+) = )/gm)].map(([, type, alias]) => type ?? alias)
  t.same(
    names.filter((name, n) => names.indexOf(name) !== n),
    [],
  )
})

t.test('what the package exports, and what its pages link to, is in it', async t => {
  const { exports, files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | Record<string, string>>
    files: string[]
  }
  for (const entry of Object.values(exports))
    for (const file of typeof entry === 'string' ? [entry] : Object.values(entry))
      t.ok(existsSync(path.join(root, file)), file)
  const packed = new Set([...files, 'README.md', 'LICENSE', 'package.json'])
  for (const page of ['README.md', ...globSync('{docs,examples}/**/*.md', { cwd: root })])
    for (const [, link = ''] of readFileSync(path.join(root, page), 'utf8').matchAll(
      /\]\((?!https?:|#)([^)\s#]+)/g,
    )) {
      const [top = ''] = path.join(path.dirname(page), link).split('/')
      t.ok(packed.has(top), `${page} links to ${link}`)
    }
})

t.test('each reason of the catalogue has its class', async t => {
  const python = readFileSync(path.join(pythonPath, 'reprise/refusals.py'), 'utf8')
  const classes = client as unknown as Record<string, typeof client.RepriseError>
  for (const name of [...Object.keys(refusals), 'Invalid']) {
    const Refused = classes[name] ?? t.fail(name)
    const made = new (Refused as typeof client.RepriseError)('no')
    t.match(made, { name, message: 'no' })
    t.ok(made instanceof client.RepriseError, name)
    t.match(python, `class ${name}(`)
  }
})

/** The operation of a request in which each id is `an-id`; the request itself, if the server has none. */
const operationOf = (where: string): string =>
  operations.find(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, 'an-id')}` === where)?.id ??
  where

t.test('each method sends a request that the server has, and none is left out', async t => {
  const asked = new Set<string>()
  const reprise = new client.Reprise({
    baseUrl: 'http://server',
    fetch: async (url, { method } = {}) => {
      const where = `${method} ${new URL(String(url)).pathname}`
      asked.add(operationOf(where))
      const page = { data: [], environments: [], sessions: [], has_more: false, next_cursor: null }
      return Response.json({ ...page, result: where === 'GET /v1/tasks' ? [] : { output: [] } })
    },
  })
  const groups = ['tasks', 'env', 'sessions', 'cron', 'webhooks', 'agents'] as const
  for (const group of groups)
    for (const [name, method] of Object.entries(reprise[group])) {
      if (name === 'follow') continue
      const isList = /^(list|runs|deliveries|summaries)$/.test(name)
      const made = (method as (...args: unknown[]) => unknown)(...(name === 'list' ? [] : ['an-id', 'an-id']))
      await (isList ? (made as client.List<unknown>).all() : made)
    }
  await reprise.streamTicket()
  t.same([...asked].sort(), [...called].sort())
})

t.test('each method of Python sends the same requests', { skip: noPython }, async t => {
  const program = `import inspect, reprise
client = reprise.Reprise("http://server")
page = {"data": [], "environments": [], "sessions": [], "has_more": False, "next_cursor": None}
def sent(method, path, **more):
    print(method, path)
    return {**page, "result": [] if (method, path) == ("GET", "/v1/tasks") else {"output": []}}, {}
client._link.sent = sent
for group in (client.tasks, client.env, client.sessions, client.cron, client.webhooks, client.agents):
    for name, method in inspect.getmembers(group, inspect.ismethod):
        if name.startswith("_") or name == "follow":
            continue
        needed = [each for each in inspect.signature(method).parameters.values() if each.default is each.empty and each.kind == each.POSITIONAL_OR_KEYWORD]
        made = method(*[{} if each.name == "body" else "an-id" for each in needed])
        if isinstance(made, reprise.Listing):
            made.all()
client.stream_ticket()
`
  const { stdout, stderr } = spawnSync(python, ['-c', program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, PYTHONPATH: pythonPath, PYTHONDONTWRITEBYTECODE: '1' },
  })
  const asked = new Set(stdout.trim().split('\n').map(operationOf))
  t.same([...asked].sort(), [...called].sort(), stderr)
})

const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`
const body = '{"type":"TaskDeleted","timestamp":"2026-01-01T00:00:00.000Z","data":{"task_id":"Grüße"}}'
/** Requests of a webhook: the headers, and whether they are genuine. */
const requests = () => {
  const webhook = new Webhook(secret)
  const signed = (at: Date, id = '41') => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': webhook.sign(id, at, body),
  })
  const now = new Date()
  const good = signed(now)
  const { 'webhook-signature': signature, ...unsigned } = good
  return {
    good: [good, true],
    'signed with the old secret, too': [{ ...good, 'webhook-signature': `v1,AAAA v2,x ${signature}` }, true],
    'signed for another id': [{ ...good, 'webhook-id': '42' }, false],
    'signed with another secret': [{ ...good, 'webhook-signature': `v1,${'A'.repeat(43)}=` }, false],
    'no base64': [{ ...good, 'webhook-signature': 'v1,%%%' }, false],
    'a letter beyond ASCII': [{ ...good, 'webhook-signature': 'v1,Grüße' }, false],
    'a time with a letter that is a digit elsewhere': [{ ...good, 'webhook-timestamp': '²' }, false],
    'a time without end': [{ ...good, 'webhook-timestamp': '9'.repeat(5000) }, false],
    unsigned: [unsigned, false],
    old: [signed(new Date(now.getTime() - 600_000)), false],
    'of tomorrow': [signed(new Date(now.getTime() + 600_000)), false],
  } as Record<string, [Record<string, string>, boolean]>
}

t.test('a request of a webhook is verified', async t => {
  for (const [name, [headers, isGenuine]] of Object.entries(requests())) {
    const verified = client.verifyWebhook(body, name === 'good' ? new Headers(headers) : headers, secret)
    if (isGenuine) t.match(await verified, { id: '41', data: { task_id: 'Grüße' } }, name)
    else await t.rejects(verified, { name: 'BadSignature' }, name)
  }
  t.ok(await client.verifyWebhook(Buffer.from(body), requests().good?.[0] ?? {}, secret), 'bytes are as good')
})

t.test('a request of a webhook is verified in Python', { skip: noPython }, async t => {
  const program = `import json, sys, reprise
for name, (headers, genuine) in json.load(sys.stdin).items():
    try:
        print(name, reprise.verify_webhook(${JSON.stringify(body)}, headers, ${JSON.stringify(secret)})["data"]["task_id"])
    except reprise.BadSignature:
        print(name, None)
`
  const { stdout, stderr } = spawnSync(python, ['-c', program], {
    input: JSON.stringify(requests()),
    encoding: 'utf8',
    env: { PATH: process.env.PATH, PYTHONPATH: pythonPath, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' },
  })
  const expected = Object.entries(requests()).map(
    ([name, [, genuine]]) => `${name} ${genuine ? 'Grüße' : 'None'}`,
  )
  t.same(stdout.trim().split('\n'), expected, stderr)
})

t.test('an address or a token that is missing is said', async t => {
  t.throws(
    () => new client.Reprise({ baseUrl: 'example.com' }),
    /set REPRISE_URL, or give .*, not example.com/,
  )
  t.throws(() => new client.Reprise(), /needs the address of the server/)
})
