// reprise agent check, as a process: agents that hold, and each way in which one does not.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { suspectsIn } from '../../src/cli/agent/suspects.ts'
import { runReprise } from '../support/server.ts'
import { jsonLines } from './support.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0

/** A function as the file of an agent. */
const agentOf = (body: string, before = '') =>
  `import { agent } from 'reprise/agent'\n${before}\nexport default agent(async ctx => {\n${body}\n})\n`
const fileOf = (t: Test, text: string, name = 'mine.mjs') => {
  const file = path.join(t.testdir(), name)
  writeFileSync(file, text)
  return file
}
const check = (...args: string[]) => runReprise(['agent', 'check', ...args])
const found = (stdout: string, what: string) =>
  stdout.split('\n').filter(line => line.slice(7).startsWith(what))

t.test('what agent new writes holds: loaded, run, and killed at every step', async t => {
  const folder = t.testdir()
  const forms = [[], ['--machine'], ...(hasPython ? [['--python']] : [])]
  for (const [n, options] of forms.entries()) {
    const made = await runReprise(['agent', 'new', `agent-${n}`, '--folder', folder, ...options])
    const { code, stdout, stderr } = await check(made.stdout.trim())
    t.same({ code, stderr }, { code: 0, stderr: '' }, stdout)
    t.match(stdout, /^holds {2}loads +a (function|statechart): Writes an answer/m)
    t.match(stdout, /^holds {2}runs +the task is completed: You said “Answer in one sentence: hello”/m)
    t.match(stdout, /^holds {2}entry 1 +model/m)
    t.match(stdout, /^holds {2}same end +after \d+ kills: the answer/m)
    t.notMatch(stdout, 'FAILS')
  }
})

t.test(
  'weeks pass at once, messages and questions are answered, and agents of the folder can be called',
  async t => {
    const folder = t.testdir({
      'helper.mjs': agentOf("return 'helped with ' + ctx.input.text"),
      'mine.mjs': agentOf(`
      const began = ctx.now()
      await ctx.sleep(7 * 86400000)
      const days = (ctx.now() - began) / 86400000
      const help = await ctx.agent('helper', 'it')
      const order = await ctx.ask('which', {}, { schema: { type: 'object', properties: { order: { type: 'integer', minimum: 7 } } } })
      const { text } = await ctx.message()
      return { days: Math.floor(days), help, order, text, luck: ctx.random() < 2, vars: ctx.vars.KEY }`),
    })
    const { code, stdout } = await check(
      path.join(folder, 'mine.mjs'),
      '--answer',
      'fine',
      '--var',
      'KEY=secret',
    )
    t.equal(code, 0, stdout)
    t.match(
      stdout,
      '{"days":7,"help":"helped with it","order":{"order":7},"text":"fine","luck":true,"vars":"secret"}',
    )
  },
)

t.test('an answer that depends on the clock or on chance differs, and the line is named', async t => {
  for (const [body, line] of [
    ["await ctx.run('one', () => 1)\nreturn Date.now()", 'line 5 has Date.now(): write ctx.now()'],
    ["await ctx.run('one', () => 1)\nreturn Math.random()", 'line 5 has Math.random(): write ctx.random()'],
  ] as const) {
    const { code, stdout, stderr } = await check(fileOf(t, agentOf(body)))
    t.equal(code, 1)
    t.match(stdout, /^holds {2}entry 1 +run one/m)
    t.match(
      stdout,
      /^FAILS {2}same end +after \d+ kills?, it was the answer .+, and is the answer .+ when the code runs again$/m,
    )
    t.match(stdout, new RegExp(`^FAILS {2}what to do +${line.replace(/[()]/g, '\\$&')}$`, 'm'))
    t.equal(stderr, 'reprise: something does not hold: see the lines above\n')
  }
})

t.test(
  'arguments that differ, calls that come in another order, and variables of the module are found',
  async t => {
    const random = await check(
      fileOf(t, agentOf("return ctx.tool('calculator', { expression: String(Math.random()) })")),
    )
    t.equal(random.code, 1)
    t.match(
      random.stdout,
      /^FAILS {2}entry 1 +after \d+ kills?, it was tool calculator .+, and is tool calculator .+ when/m,
    )

    const counted = await check(
      fileOf(
        t,
        agentOf(
          "await ctx.run('a', () => 1)\nawait ctx.ask('b')\nreturn ++count",
          'let count = Number(process.pid)',
        ),
      ),
    )
    t.equal(counted.code, 1)
    t.match(counted.stdout, /^FAILS {2}same end/m)
    t.same(found(counted.stdout, 'entry'), [
      'holds  entry 1      run a -> 1',
      'holds  entry 2      ask b {} -> {"text":"yes","content":"yes"}',
    ])
  },
)

t.test('a file that cannot be loaded says what the server would say', async t => {
  for (const [text, says] of [
    ['export default agent(', /^FAILS {2}loads +SyntaxError: .+\(line 1\)$/m],
    [
      "import 'no-such-package'",
      /^FAILS {2}loads +.*no-such-package.+: install the package in the folder of the file$/m,
    ],
    ['export const a = 1', /^FAILS {2}loads +the file has no default export: write/m],
    ['export default 5', /^FAILS {2}loads +an agent must be a function/m],
    [
      "import { agent } from 'reprise/agent'\nexport default agent(() => 1, { parameters: { type: 'nothing' } })",
      /^FAILS {2}loads +its parameters are no JSON Schema: /m,
    ],
  ] as const) {
    const { code, stdout } = await check(fileOf(t, text))
    t.equal(code, 1)
    t.match(stdout, says)
    t.equal(found(stdout, 'runs').length, 0)
  }
})

t.test('a task that fails is told, and fails the same after every kill', async t => {
  const { code, stdout } = await check(
    fileOf(t, agentOf("await ctx.run('a', () => 1)\nthrow new Error('no luck')")),
  )
  t.equal(code, 1)
  t.match(stdout, /^FAILS {2}runs +the task has failed: .*no luck/m)
  t.match(stdout, /^holds {2}same end +after \d+ kills: the error “no luck”$/m)
})

t.test('code that waits for something else than ctx is warned', async t => {
  const body = "await new Promise(go => setTimeout(go, 1500))\nawait ctx.run('a', () => 1)\nreturn 'done'"
  const { code, stdout } = await check(fileOf(t, agentOf(body)))
  t.equal(code, 1)
  t.match(stdout, /^FAILS {2}ctx alone .+ is not a call of ctx/m)
  t.match(stdout, /^holds {2}same end/m)
})

t.test('types are checked by the compiler of the project, if there is one', async t => {
  const text = `import { agent } from 'reprise/agent'\nconst days: number = 'three'\nexport default agent(async () => days)\n`
  const alone = mkdtempSync(path.join(tmpdir(), 'reprise-test-'))
  t.teardown(() => rmSync(alone, { recursive: true }))
  writeFileSync(path.join(alone, 'typed.ts'), text)
  const bare = await check(path.join(alone, 'typed.ts'))
  t.equal(bare.code, 0, bare.stdout)
  t.match(bare.stdout, /^holds {2}types +not checked: install typescript beside the file/m)

  const root = path.resolve(import.meta.dirname, '../..')
  const folder = t.testdir({
    node_modules: {
      typescript: t.fixture('symlink', path.join(root, 'node_modules/typescript')),
      reprise: t.fixture('symlink', root),
    },
    'typed.ts': text,
    'right.ts': text.replace("'three'", '3'),
  })
  const wrong = await check(path.join(folder, 'typed.ts'))
  t.equal(wrong.code, 1)
  t.match(wrong.stdout, /^FAILS {2}types +typed\.ts\(2,7\): error TS2322: /m)
  t.match(await check(path.join(folder, 'right.ts')), {
    code: 0,
    stdout: /^holds {2}types +the compiler beside the file finds no error$/m,
  })
})

t.test('--json is one object, and a wrong command line is told', async t => {
  const { code, stdout } = await check(fileOf(t, agentOf('return ctx.input.text')), '--input', 'hi', '--json')
  t.equal(code, 0)
  const [{ agent, holds, kills, findings } = {} as Record<string, unknown>, ...more] = jsonLines(stdout)
  t.match({ agent, holds, kills }, { agent: 'mine', holds: true, kills: 0 })
  t.match(findings, [
    { what: 'loads' },
    { what: 'runs', holds: true, found: 'the task is completed: hi' },
    { what: 'same end' },
  ])
  t.same(more, [])
  t.match(await check('nothing.mjs'), { code: 2, stderr: /nothing\.mjs is no file/ })
  t.match(await check(fileOf(t, '', 'Mine.mjs')), { code: 2, stderr: /has the name "Mine"/ })
  t.match(await check(), { code: 2, stderr: /either the file of an agent, or --command/ })
})

t.test('suspects: comments and calls inside of ctx.run are none', t => {
  const file = fileOf(
    t,
    "// Date.now()\nctx.run('a', () => Date.now())\nconst id = crypto.randomUUID()\nawait fetch('http://x')\n",
  )
  t.same(suspectsIn(file), [
    'line 3 has randomUUID(): write it inside of ctx.run, with { safe: true }',
    'line 4 has fetch(): write it inside of ctx.run',
  ])
  t.same(suspectsIn(fileOf(t, 'now = time.time()\n', 'a.py')), ['line 1 has time.time(): write ctx.now()'])
  t.end()
})
