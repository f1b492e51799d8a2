// What one user may have on the disk: no more than the operator says, whoever writes it, and no other user notices.
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { read, until } from '../support/http.ts'
import { type Api, apiOf, serveHere } from '../support/server.ts'
import { resultsOf, tasksOf } from './agent-tasks.ts'
import { envCalls } from './env-calls.ts'

const temporary = (t: Test, prefix: string) => {
  const folder = mkdtempSync(path.join(tmpdir(), prefix))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const userOf = async ({ api, url }: { api: Api; url: string }, user_id: string): Promise<Api> => {
  const { body } = await read(api('POST', '/auth/tokens', { role: 'user', user_id }))
  return apiOf(url, (body as unknown as { token: string }).token)
}
const limit = 1 << 20
const env = { QUOTA_DISK_MB: '1' }
const write = (name: string, kib: number) => ({
  tool: 'write_file',
  arguments: { path: name, content: 'x'.repeat(kib << 10) },
})
const told = async (api: Api, ...steps: object[]) =>
  resultsOf(await tasksOf(api).play(steps, { workspace_dir: 'w' })).map(({ message_content }) =>
    String(message_content),
  )
const refused = /there may be at most 1048576 bytes of disk for this user \(QUOTA_DISK_MB\)/

t.test('a file beyond the quota is not written, and the tool says which quota it is', async t => {
  const dataDir = temporary(t, 'reprise-disk-')
  const server = await serveHere(t, { DATA_DIR: dataDir, ...env })
  const [alice, bob] = [await userOf(server, 'alice'), await userOf(server, 'bob')]
  const files = path.join(dataDir, 'workspace/alice/w')
  t.match(await told(alice, write('a', 600), write('b', 600), write('c', 100)), [/^Wrote/, refused, /^Wrote/])
  t.same(readdirSync(files).sort(), ['a', 'c'])
  t.match(await told(alice, write('a', 700)), [/^Wrote/], 'what is replaced makes room')
  t.match(
    await told(alice, { ...write('c', 400), arguments: { ...write('c', 400).arguments, append: true } }),
    [refused],
  )
  t.equal(readFileSync(path.join(files, 'c')).length, 100 << 10)
  t.match(await told(bob, write('a', 900)), [/^Wrote/], 'another user does not notice')
  t.match(await told(server.api, write('a', 2000)), [/^Wrote/], 'nor does an admin without a user')
  rmSync(path.join(files, 'a'))
  t.match(await told(alice, write('b', 600)), [/^Wrote/], 'what was removed is found to be gone')

  await server.stop()
  const left = path.join(files, `.reprise-${'x'.repeat(22)}`)
  writeFileSync(left, 'half')
  utimesSync(left, 1, 1)
  const again = await serveHere(t, { DATA_DIR: dataDir, ...env })
  const later = await userOf(again, 'alice')
  t.match(await told(later, write('d', 600)), [refused], 'after a restart it is known again')
  t.notOk(existsSync(left), 'and what a killed server had half written is removed')
  await again.stop()
  const without = await serveHere(t, { DATA_DIR: dataDir, QUOTA_DISK_MB: '0' })
  t.match(await told(await userOf(without, 'alice'), write('d', 2000)), [/^Wrote/], '0 is no quota')
})

t.test('rollouts beyond the quota are not saved, and one line says so', async t => {
  const dataDir = temporary(t, 'reprise-disk-')
  const server = await serveHere(t, { DATA_DIR: dataDir, ...env })
  const alice = await userOf(server, 'alice')
  const saved = (id: string) => path.join(dataDir, 'rollouts/alice/r', `${id}.jsonl`)
  const run = () => tasksOf(alice).play([{ message: 'y'.repeat(200_000) }], { rollout_save_dir: 'r' })
  const first = await run()
  await until(() => existsSync(saved(first.id)))
  t.match(await told(alice, write('a', 750)), [/^Wrote/])
  const second = await run()
  const said = () => server.lines.filter(({ message }) => message.includes(second.id))
  await until(() => said().length > 0)
  t.match(said(), [{ level: 'warn', message: refused }])
  t.notOk(existsSync(saved(second.id)))
  t.equal((await alice('GET', `/tasks/${second.id}/rollouts`)).status, 200, 'they can be asked for')
})

const filler = `
import { writeFileSync } from 'node:fs'
import path from 'node:path'
const tool = (name, properties) => ({ type: 'function', function: { name, parameters: { type: 'object', properties } } })
export class Filler {
  static recovery = 'refold'
  constructor(kwargs, { dir }) { this.dir = dir; this.n = 0 }
  reset() { return this.observe() }
  observe() { return { n: this.n } }
  tools() { return [tool('fill', { kib: { type: 'integer' } }), tool('flood', {}), tool('one', {})] }
  async step(name, { kib = 64 }, { signal }) {
    const put = () => writeFileSync(path.join(this.dir, 'f' + this.n++), 'x'.repeat(kib << 10))
    if (name === 'fill') put()
    else if (name === 'one') writeFileSync(path.join(this.dir, 'one'), 'x'.repeat(3 << 20))
    else while (!signal.aborted && this.n < 500) {
      put()
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    return { content: name + ' ' + this.n }
  }
}
`

t.test(
  'a session that fills the disk is stopped; others go on, and space comes back when it ends',
  async t => {
    const folder = temporary(t, 'reprise-disk-')
    const dataDir = path.join(folder, 'data')
    const server = await serveHere(t, {
      DATA_DIR: dataDir,
      ...env,
      ENV_PATH: t.testdir({ 'filler.mjs': filler }),
    })
    const [alice, bob] = [envCalls(await userOf(server, 'alice')), envCalls(await userOf(server, 'bob'))]
    const body = (session_id: string) => ({ session_id, env_class_path: 'filler.mjs#Filler' })
    const step = (who: typeof alice, session_id: string, tool_name: string, tool_args: object = {}) =>
      who.call('POST', '/env/step', { session_id, tool_name, tool_args })
    const isRefused = (answer: Awaited<ReturnType<typeof step>>) => {
      t.equal(answer.status, 429, answer.text)
      t.match(answer.body, { code: -32027, message: refused, data: { quota: 'disk', limit } })
      t.match(answer.headers.get('retry-after'), /^\d+$/)
    }
    for (const id of ['s1', 's2']) t.equal((await alice.create(body(id))).status, 200)
    t.equal((await bob.create(body('s3'))).status, 200)
    t.match((await step(alice, 's1', 'fill', { kib: 100 })).body, {
      step: 1,
      tool_result: { status: 'completed' },
    })

    const flooded = await step(alice, 's1', 'flood')
    t.equal(flooded.status, 200)
    t.match(flooded.body, { step: 2, tool_result: { status: 'incomplete' }, info: { error: refused } })
    t.match(flooded.body.info.error, /^the step was stopped: /)
    isRefused(await step(alice, 's1', 'fill'))
    isRefused(await step(alice, 's2', 'fill'))
    isRefused(await alice.create(body('s4')))
    t.match(await told(await userOf(server, 'alice'), write('a', 1)), [refused])
    t.match((await step(bob, 's3', 'fill')).body, { step: 1, tool_result: { status: 'completed' } })

    await alice.call('DELETE', '/env/session/s1')
    if (existsSync('/usr/bin/prlimit')) {
      const one = await step(alice, 's2', 'one')
      t.match(one.body, { step: 1, info: { error: /EFBIG/ } }, 'no single file is longer than the quota')
      t.ok(statSync(path.join(dataDir, 'environments/alice/s2/files/one')).size <= limit)
      await alice.call('DELETE', '/env/session/s2')
      await alice.create(body('s5'))
    } else await alice.create(body('s5'))
    t.match((await step(alice, 's5', 'fill')).body, { step: 1, tool_result: { status: 'completed' } })
    t.equal((await alice.create(body('s4'))).status, 200)
    t.notOk(existsSync(path.join(dataDir, 'environments/alice/s1')))
  },
)
