// reprise agent check --command: hosts of the protocol in any language. The two libraries pass every case; a host that breaks a rule
// fails the case that has it.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { allCases } from '../../src/cli/agent/play-case.ts'
import { built } from '../../src/platform/built.ts'
import { runReprise } from '../support/server.ts'
import { jsonLines } from './support.ts'

const quoted = (text: string) => `'${text}'`
const check = (line: string, ...args: string[]) => runReprise(['agent', 'check', '--command', line, ...args])
const programs = path.resolve(import.meta.dirname, '../python-agent/programs.py')
const hasPython = spawnSync('python3', ['--version']).status === 0

/** The agent of the cases as the file of an agent: it gets its errors from the package. */
const nodeAgent = `${readFileSync(
  path.resolve(import.meta.dirname, '../agent-library/support/programs.ts'),
  'utf8',
).replace('../../../library/agent/errors.ts', 'reprise/agent')}
export default program`

t.test('the library for Python passes every case', { skip: !hasPython && 'no python3' }, async t => {
  const place = path.dirname(fileURLToPath(built('python/reprise_agent.py')))
  const { code, stdout, stderr } = await check(
    `PYTHONPATH=${quoted(place)} exec python3 -m reprise_agent ${quoted(programs)}`,
  )
  t.same({ code, stderr }, { code: 0, stderr: '' }, stdout)
  for (const { name } of allCases) t.match(stdout, `holds  case         ${name}\n`)
  t.match(stdout, /^holds {2}hello +serves the agent programs$/m)
  t.match(stdout, /^holds {2}case +at SIGTERM the host says that it stops/m)
})

t.test('the library for Node passes every case', async t => {
  const file = path.join(t.testdir({ 'programs.ts': nodeAgent }), 'programs.ts')
  const host = [process.execPath, fileURLToPath(built('agent-host-process.mjs')), file].map(quoted).join(' ')
  const { code, stdout } = await check(`exec ${host}`, '--json')
  const [result = {}] = jsonLines(stdout)
  t.same(
    (result.findings as { holds: boolean; found: string }[]).filter(({ holds }) => !holds),
    [],
  )
  t.equal(code, 0)
})

/** A host that answers each lease with the same turn. */
const hostOf = (turn: string, hello = '{"type":"hello","protocol":1,"agents":[{"name":"mine"}]}') => `
  console.log(${JSON.stringify(hello)})
  require('readline').createInterface(process.stdin).on('line', line => {
    const { type, lease } = JSON.parse(line)
    if (type === 'begin') console.log(JSON.stringify({ type: 'turn', lease, ...${turn} }))
    if (type === 'ping') console.log('{"type":"pong"}')
  })`

t.test('a host that breaks rules is told which: exit code 1', async t => {
  const file = (text: string) => quoted(path.join(t.testdir({ 'host.cjs': text }), 'host.cjs'))
  const run = (text: string) => check(`exec ${quoted(process.execPath)} ${file(text)}`)

  const constant = await run(hostOf("{ seen: 0, moves: [], outcome: { answer: '' } }"))
  t.equal(constant.code, 1)
  t.match(constant.stdout, /^holds {2}case +nothing returned is an empty answer$/m)
  t.match(
    constant.stdout,
    /^FAILS {2}case +what is thrown is the outcome: the host sent .+, and should have sent .+$/m,
  )
  t.match(constant.stdout, /^holds {2}case +a ping gets a pong$/m)

  const unfit = await run(hostOf("{ seen: 'none', moves: [] }"))
  t.match(unfit.stdout, /^FAILS {2}case .+: the host sent a message turn with an invalid field: seen/m)

  const moves = await run(hostOf("{ seen: 0, moves: [{ do: 'fly', n: 1, digest: 'd' }] }"))
  t.match(moves.stdout, /^FAILS {2}case .+: the host sent a move “fly”, which there is not/m)
  const unsafe = await run(hostOf('{ seen: 0, moves: [], ["__proto__"]: { a: 1 } }'))
  t.match(unsafe.stdout, /^FAILS {2}case .+ it sent the key “__proto__”, which is not allowed/m)

  t.match(await run("console.log('hi')"), {
    code: 1,
    stdout: /^FAILS {2}hello +.+ it sent what is no JSON: “hi”$/m,
  })
  t.match(await run(''), {
    code: 1,
    stdout: /^FAILS {2}hello +the process of the agent has ended \(exit code 0\)$/m,
  })
  t.match(await run(hostOf('{}', '{"type":"hello","protocol":9,"agents":[{"name":"mine"}]}')), {
    code: 1,
    stdout: /^FAILS {2}hello +the host sent a hello with an invalid field: protocol/m,
  })
})
