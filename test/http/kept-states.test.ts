// A step whose state is large or odd: it is done, what can be kept is kept, and what cannot be is named.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { serveHere } from '../support/server.ts'
import { resultsOf, tasksOf } from './agent-tasks.ts'
import { envCalls } from './env-calls.ts'

/** Time enough for steps with large states on a busy machine. */
const limits = { ALLOW_UNSANDBOXED_SHELL: '1', ENV_STEP_TIMEOUT_MS: '300000' }

/** A server that can be stopped and started again on the same folder. */
const lives = (t: Test) => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-kept-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  return {
    dataDir,
    async start(env: Record<string, string> = {}) {
      const server = await serveHere(t, { DATA_DIR: dataDir, ...limits, ...env })
      const calls = envCalls(server.api)
      const shell = (id: string, command: string) => calls.step(id, 'shell', { command, timeout_s: 120 })
      return {
        ...server,
        ...calls,
        shell,
        made: async (env_id: string) => (await calls.create({ env_id })).body.session_id,
      }
    },
  }
}
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name))
const bytesBelow = (folder: string): number =>
  filesBelow(folder).reduce((sum, file) => sum + statSync(file).size, 0)

t.test(
  'links, pipes, 40 MB and 11,000 files are steps like others, and come back after a restart',
  async t => {
    const life = lives(t)
    let { shell, made, stop } = await life.start()
    const id = await made('workspace')
    const plain = {
      status: 200,
      body: { tool_result: { status: 'completed' }, info: { exit_code: 0, error: undefined } },
    }
    t.match(
      await shell(id, 'echo hello > a; ln -s a link; ln -s /nowhere/at/all away; mkdir d; ln -s ../d d/up'),
      plain,
    )
    t.match(await shell(id, 'head -c 40000000 /dev/urandom > large; sha256sum large > sum'), plain)
    t.match(await shell(id, 'mkdir many && cd many && seq -f file%05g 11000 | xargs touch'), plain)
    const piped = await shell(id, 'mkfifo pipe; chmod 640 a; touch -d 2020-01-02T03:04:05Z a')
    t.match(piped, plain)
    t.same(piped.body.info.not_kept, 'pipe is a named pipe', 'what is no file, folder or link is named')
    const size = bytesBelow(path.join(life.dataDir, 'environments'))
    t.ok(size < 100e6, `one copy of the files is kept, not one for each step: ${size} bytes`)
    await stop()

    ;({ shell, stop } = await life.start())
    const { body } = await shell(
      id,
      'readlink link away d/up; cat link; sha256sum -c sum; ls many | wc -l; stat -c "%a %Y" a; ls pipe',
    )
    t.match(
      body.tool_result.message_content,
      /^a\n\/nowhere\/at\/all\n\.\.\/d\nhello\nlarge: OK\n11000\n640 1577934245\nls: /,
    )
    t.equal(body.info.not_kept, undefined, 'the pipe is gone')
  },
)

t.test(
  'a workspace beyond the limit answers with the limit, goes on, and says when it came back older',
  async t => {
    const life = lives(t)
    const first = await life.start()
    const id = await first.made('workspace')
    await first.shell(id, 'echo kept > a')
    const large = await first.shell(id, 'echo later > a; for n in 1 2 3 4 5; do truncate -s 250M $n; done')
    t.match(large, {
      status: 200,
      body: { step: 2, tool_result: { status: 'completed' }, info: { exit_code: 0 } },
    })
    t.match(large.body.info.error, /^the state after this step is not kept: .* 1 GiB.* after step 1$/)
    t.match((await first.shell(id, 'cat a')).body.tool_result.message_content, 'later', 'the work is there')
    const call = { tool: 'shell', arguments: { command: 'true' } }
    const [told] = resultsOf(await tasksOf(first.api).play([call], { session_id: id }))
    t.match(told?.message_content, /"error":"the state after this step is not kept/, 'so does an agent')
    await first.stop()

    const second = await life.start()
    t.match((await second.observe(id)).body.state, { file_count: 1 }, 'what is observed is what is there')
    const older = await second.shell(id, 'cat a')
    t.match(older.body, { step: 5, tool_result: { message_content: 'kept' } })
    t.match(older.body.info.error, 'the session came back as it was after step 1')
    t.equal((await second.shell(id, 'cat a')).body.info.error, undefined, 'which is said once')
    await second.shell(id, 'for n in 1 2 3 4 5; do truncate -s 250M $n; done')
    t.equal((await second.shell(id, 'rm 1 2 3 4 5; echo small > a')).body.info.error, undefined, 'kept again')
    await second.stop()

    const third = await life.start()
    t.match((await third.shell(id, 'cat a')).body, {
      tool_result: { message_content: 'small' },
      info: { error: undefined },
    })
  },
)

t.test('a database with blobs is kept, and what is damaged meanwhile is found', async t => {
  const life = lives(t)
  const first = await life.start()
  const id = await first.made('sql')
  const run = (calls: Pick<typeof first, 'step'>, tool: string, sql: string) => calls.step(id, tool, { sql })
  t.equal((await run(first, 'execute', 'CREATE TABLE b (n INTEGER PRIMARY KEY, b BLOB)')).status, 200)
  const numbers =
    'WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s WHERE n < 12), r(b) AS MATERIALIZED (SELECT randomblob(1000000))'
  const filled = await run(first, 'execute', `${numbers} INSERT INTO b SELECT n, r.b FROM s, r`)
  t.match(filled, { status: 200, body: { tool_result: { status: 'completed' }, info: { error: undefined } } })
  await run(first, 'execute', "INSERT INTO b VALUES (99, 'last')")
  const kept = bytesBelow(path.join(life.dataDir, 'environments'))
  t.ok(kept < 2.5 * 12e6, `a change costs what it changes: ${kept} bytes`)
  const sums = 'SELECT count(*) AS n, sum(length(b)) AS bytes FROM b'
  const before = (await run(first, 'query', sums)).body.observation
  await first.stop()

  const second = await life.start()
  t.same((await run(second, 'query', sums)).body.observation, before)
  await second.stop()
  const packs = filesBelow(path.join(life.dataDir, 'environments')).filter(file => file.endsWith('.pack'))
  const largest = packs.sort((a, b) => statSync(b).size - statSync(a).size)[0] ?? ''
  const bytes = readFileSync(largest)
  bytes[5_000_000] = (bytes[5_000_000] ?? 0) ^ 1
  writeFileSync(largest, bytes)

  const third = await life.start()
  // On a busy machine the first answer may take longer than 10 s. Then it can only be cut off.
  const ask = () => run(third, 'query', sums)
  t.equal((await ask().catch(ask)).status, 404)
  t.match((await third.record(id)).body, { is_active: false, close_reason: /its kept state is damaged/ })
})

const frail = `
export class Frail {
  static recovery = 'snapshot'
  static limits = 'What fits.'
  reset() { this.did = [] }
  step(tool, { how }) { this.did.push(how); return { content: how } }
  observe() { return { did: this.did } }
  tools() {
    const parameters = { type: 'object', properties: { how: { type: 'string' } } }
    return [{ type: 'function', function: { name: 'do', parameters } }]
  }
  snapshot({ leaveOut, keepOld }) {
    const how = this.did.at(-1)
    if (how === 'throw') throw new Error('it is too much: ' + keepOld)
    if (how === 'part') { leaveOut('this'); leaveOut('that') }
    if (how === 'exit') process.exit(1)
    if (how === 'long') return 'x'.repeat(17 << 20)
    return this.did
  }
  restore(did) { this.did = did }
}`

t.test(
  'limits stand with an environment, and a class of the operator that cannot keep its state loses no step',
  async t => {
    const { call, create, step, record } = await lives(t).start({
      ENV_PATH: t.testdir({ 'frail.mjs': frail }),
    })
    const limitsOf = async (name: string) =>
      ((await call('GET', `/env/${name}`)).body as unknown as { details: { limits?: string }[] }).details[0]
        ?.limits
    t.match(await limitsOf('workspace'), /200000 files.* 1 GiB/)
    t.match(await limitsOf('sql'), /1 GiB/)
    t.equal(await limitsOf('chess'), undefined)

    const made = async () => (await create({ env_class_path: 'frail' })).body.session_id
    const id = await made()
    const thrown = await step(id, 'do', { how: 'throw' })
    t.match(thrown, {
      status: 200,
      body: { tool_result: { status: 'completed' }, state: { did: ['throw'] } },
    })
    t.equal(await limitsOf('frail.mjs'), 'What fits.', 'a module that is used says its limits')
    t.match(thrown.body.info.error, /is too much: false\. .* as it was after its newest reset$/)
    t.match((await step(id, 'do', { how: 'part' })).body.info, { not_kept: 'this; that', error: undefined })
    for (const [how, reason] of [
      ['exit', /ended/],
      ['long', /does not speak the protocol/],
    ] as const) {
      const ended = await made()
      t.match(await step(ended, 'do', { how }), {
        status: 200,
        body: { truncated: true, info: { error: reason } },
      })
      t.match((await record(ended)).body, { is_active: false, close_reason: reason })
    }
  },
)
