// The examples of environments in the documents, run as they stand there: only the address of the server is another.
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { serveHere } from '../support/server.ts'
import { decode } from '../support/sse.ts'

const run = promisify(execFile)
const textOf = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8')
const sectionOf = (file: string, heading: string): string =>
  textOf(file).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
const curlsOf = (text: string): string[] =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.split(/^(?=\S)/m))
    .filter(command => command.startsWith('curl '))
const missing = (program: string) =>
  spawnSync(program, ['--version']).status === 0 ? false : `${program} is not there`

/** A server with its data in an empty folder, and its commands run there. */
const given = async (t: Test, modules: Record<string, string> = {}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-examples-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const envs = path.join(folder, 'envs')
  mkdirSync(envs)
  for (const [name, text] of Object.entries(modules)) writeFileSync(path.join(envs, name), text)
  const { url } = await serveHere(t, { DATA_DIR: path.join(folder, 'data'), ADMIN_TOKEN: '', ENV_PATH: envs })
  return async (command: string): Promise<string> => {
    const here = command.replaceAll('http://127.0.0.1:8080', url)
    const script = `TOKEN=$(cat data/admin-token)\n${here}`
    return (await run('bash', ['-c', script], { cwd: folder })).stdout
  }
}
const frames = (text: string) => decode(text).events.map(({ data }) => JSON.parse(data).result)

const section = sectionOf('docs/using-environments.md', 'First steps')
const [, corridor = ''] = /^```python\n(# corridor\.py\n[\s\S]*?)^```$/m.exec(section) ?? []
const [builtIn = '', inPython = ''] = section.split(corridor)

t.test('a game of chess, a task that plays it, and a database', { skip: missing('curl') }, async t => {
  const told = await given(t)
  const commands = curlsOf(builtIn)
  t.equal(commands.length, 7)
  const answers: string[] = []
  for (const command of commands) answers.push(await told(command))
  const [game, move, board, task, people, inserted, found] = answers.map(text =>
    text.startsWith('{') ? JSON.parse(text) : frames(text),
  )
  t.match(game, { session_id: 'game', initial_state: { turn: 'white' }, done: false })
  t.match(move, {
    step: 1,
    tool_result: { status: 'completed', message_content: /^White plays e4\. Black plays / },
  })
  t.match(board, [{ type: 'step.started' }, { type: 'step.completed', step: 2 }])
  t.match(task.result, { status: 'completed', session_id: 'game' })
  t.match(JSON.stringify(task.result.output.at(-1)), /White plays Nf3\. Black plays /)
  t.match(people, { session_id: 'people', initial_state: { tables: [{ name: 'people', rows: 2 }] } })
  t.match(inserted, { step: 1, tool_result: { status: 'completed' } })
  t.match(found.at(-1), {
    type: 'step.completed',
    observation: { columns: ['name'], rows: [{ name: 'Ann' }, { name: 'Cy' }] },
  })
})

t.test(
  'an environment in the style of Gymnasium',
  { skip: missing('curl') || missing('python3') },
  async t => {
    const told = await given(t, { 'corridor.py': corridor })
    const commands = curlsOf(inPython)
    t.equal(commands.length, 4)
    const answers: string[] = []
    for (const command of commands) answers.push(await told(command))
    const [made, reset, step] = answers.slice(0, 3).map(answer => JSON.parse(answer))
    t.match(made, {
      session_id: 'walk',
      tools: [
        { function: { name: 'act', parameters: { properties: { action: { minimum: 0, maximum: 1 } } } } },
      ],
    })
    const begin = reset.observation.observation
    t.match(step, { step: 1, observation: { observation: begin + 1 } })
    t.match(frames(answers[3] ?? ''), [
      { type: 'step.started', tool_name: 'act', tool_args: { action: 1 } },
      { type: 'step.completed', step: 2 },
    ])
    t.same(JSON.parse(await told(commands[1] ?? '')), reset, 'the same seed is the same beginning')
  },
)
