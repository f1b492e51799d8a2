// The examples of environments in the documents, run as they stand there.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { noReader, readerOf } from '../support/reader.ts'
import { decode } from '../support/sse.ts'

const page = 'docs/using-environments.md'
const curlsOf = (text: string): string[] =>
  text.split(/^(?=\S)/m).filter(command => command.startsWith('curl '))
const noPython = spawnSync('python3', ['--version']).status === 0 ? false : 'python3 is not there'

/** A reader beside a server. `ownKind`: whether the reader has written the environment of the page. */
const given = async (t: Test, ownKind: boolean) => {
  const reader = await readerOf(t, page)
  const [code = ''] = reader.blocks.flatMap(({ language, text }) => (language === 'python' ? [text] : []))
  mkdirSync(path.join(reader.folder, 'envs'))
  if (ownKind) writeFileSync(path.join(reader.folder, 'envs/corridor.py'), code)
  await reader.serves(ownKind ? { ENV_PATH: 'envs' } : {})
  const blocks = reader.blocks.filter(({ language }) => language === 'sh')
  const [variables = '', ...rest] = blocks.map(({ text }) => text)
  await reader.terminal.paste(variables)
  const commands = rest.flatMap(curlsOf).filter(command => ownKind === /walk/.test(command))
  return {
    commands,
    told: async (command: string) => (await reader.terminal.paste(reader.here(command))).printed,
  }
}
const frames = (text: string) => decode(text).events.map(({ data }) => JSON.parse(data).result)

t.test('a game of chess, a task that plays it, and a database', { skip: noReader }, async t => {
  const { commands, told } = await given(t, false)
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

t.test('an environment in the style of Gymnasium', { skip: noReader || noPython }, async t => {
  const { commands, told } = await given(t, true)
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
})
