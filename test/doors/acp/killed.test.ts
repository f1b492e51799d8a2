// An editor is killed in the middle of a prompt, and so is the server: nothing is lost, and nothing is done twice.
import t from 'tap'
import { until } from '../../support/http.ts'
import { spawnServer } from '../../support/server.ts'
import { outside } from '../counts.ts'
import { chooses, kindsOf, openEditor, textOf } from './editor.ts'

const words = Array.from({ length: 8 }, (_, n) => `word${n} `)
/** It says the words, does something that must not be done twice, waits for the gate, and answers. */
const agent = `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const post = async what => (await fetch(ctx.input.text + what, { method: 'POST' })).status
  await ctx.run('begin', () => post('/begin'))
  for (const word of ${JSON.stringify(words)}) {
    ctx.say(word)
    await ctx.sleep(100)
  }
  await ctx.run('gate', () => post('/gate'))
  return 'The end.'
})
`

t.test('editors and a server that are killed', async t => {
  const { url: root, done, open, gates } = await outside(t)
  const url = `${root}/editor`
  const folder = t.testdir({ agents: { 'counts.mjs': agent }, data: {} })
  const env = { AGENT_PATH: `${folder}/agents`, ENV_UID_BASE: '0' }
  const dataDir = `${folder}/data`
  const first = await spawnServer(t, dataDir, env)

  const ofEditor = { args: ['--agent', 'counts'], env: { DATA_DIR: dataDir } }
  const killed = await openEditor(t, ofEditor)
  const session = await killed.newSession()
  const lost = killed.prompt(session, url)
  await until(() => textOf(killed.updates).includes('word1'))
  await killed.kill()
  await t.rejects(lost)

  const editor = await openEditor(t, ofEditor, { permit: () => chooses('again') })
  await editor.load(session)
  t.equal(textOf(editor.updates, 'user_message_chunk'), url)
  t.match(textOf(editor.updates), /^word0 word1 /, 'the session has what the killed editor saw')
  await until(() => gates() === 1)
  await first.end('SIGKILL')
  t.same(editor.permissions, [])

  open()
  const second = await spawnServer(t, dataDir, env)
  await until(() => textOf(editor.updates).endsWith('The end.'))
  t.match(editor.stderr(), /broke; reconnecting/)
  t.equal(textOf(editor.updates), `${words.join('')}The end.`, 'each word comes once')
  t.same(
    editor.permissions.map(({ options }) => options.map(({ optionId }) => optionId)),
    [['again', 'leave']],
    'the user decides about a call whose outcome is unknown',
  )
  t.same([done, gates()], [['editor begin'], 2])

  const again = await openEditor(t, ofEditor)
  await again.load(session)
  t.equal(textOf(again.updates), textOf(editor.updates))
  t.same(kindsOf(again.updates), kindsOf(editor.updates), 'a session that is loaded later is the same')

  await second.end('SIGKILL')
  const prompt = again.prompt(session, url)
  await until(() => /broke|cannot be reached|has stopped/.test(again.stderr()))
  await spawnServer(t, dataDir, env)
  t.same(await prompt, { stopReason: 'end_turn' }, 'a prompt waits for a server that is away')
  t.same(done, ['editor begin', 'editor begin'])
})
