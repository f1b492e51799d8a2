// reprise dev, as a process: it serves the agents of a folder while they are written.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { apiOf, runReprise } from '../support/server.ts'
import { start } from './support.ts'

const greets = (word: string) =>
  `import { agent } from 'reprise/agent'\nexport default agent(async ctx => '${word}: ' + (await ctx.model(ctx.input.text)))\n`

t.test('files are loaded, loaded again, told when they are broken, and removed', async t => {
  const folder = path.join(t.testdir({ agents: { 'greets.mjs': greets('one') } }), 'agents')
  const file = path.join(folder, 'greets.mjs')
  const dataDir = path.join(t.testdirName, 'data')
  const dev = start(t, ['dev', folder, '--port', '0'], { DATA_DIR: dataDir })
  await dev.until(/^Console +http:\/\/127\.0\.0\.1:\d+\/ui$/m)
  await dev.until(/^greets is loaded$/m)
  t.match(dev.said.stdout, /^Model +a fake one with plausible answers/m)
  t.match(dev.said.stdout, `Agents     ${folder} (a file that changes is loaded again)`)

  const tried = await runReprise(['try', 'hi', '--agent', 'greets'], {
    DATA_DIR: dataDir,
    ADMIN_TOKEN: 'test-admin-token',
  })
  t.match(tried, { code: 0, stdout: /one: You said “hi”/ })

  writeFileSync(file, 'export default agent(')
  await dev.until(/^greets cannot be loaded: SyntaxError: .+\(line 1\)$/m)
  writeFileSync(file, greets('two'))
  await dev.until(/^greets is loaded again$/m)
  const { url } = JSON.parse(readFileSync(path.join(dataDir, 'server.json'), 'utf8')) as { url: string }
  const body = { user_message_content: 'hi', stream: false, agent_config: { agent_id: 'greets' } }
  t.match(await (await apiOf(url)('POST', '/tasks', body)).text(), 'two: You said')

  writeFileSync(path.join(folder, 'talks.mjs'), "console.error('I am here')\nexport default () => 1")
  await dev.until(/^talks \| I am here$/m)
  rmSync(file)
  await dev.until(/^greets is removed$/m)

  dev.signal('SIGINT')
  const { code, stderr } = await dev.ended
  t.equal(code, 0, stderr)
  await t.rejects(fetch(`${url}/healthz`))
})

t.test(
  'the last two lines can be pasted one after the other, whichever way the command was called',
  async t => {
    const folder = t.testdir({ 'greets.mjs': greets('one') })
    for (const [variables, name] of [
      [{}, 'reprise'],
      [{ npm_command: 'exec' }, 'npx reprise'],
    ] as const) {
      const dev = start(t, ['dev', folder, '--port', '0'], {
        DATA_DIR: path.join(folder, 'data'),
        ...variables,
      })
      await dev.until(/^export PORT=/m)
      await dev.until(new RegExp(`^export PORT=.+\\n${name} try "hello" --agent greets\\n`, 'm'))
      dev.signal('SIGTERM')
      t.equal((await dev.ended).code, 0)
    }
    t.match(await runReprise(['dev', path.join(folder, 'none')], { npm_command: 'exec' }), {
      stderr: /none is no folder: npx reprise agent new NAME/,
    })
  },
)

t.test('a model of one’s own is used', async t => {
  const folder = t.testdir({ 'greets.mjs': greets('one') })
  const dev = start(t, ['dev', folder, '--port', '0'], {
    DATA_DIR: path.join(folder, 'data'),
    ...{ MODEL_BASE_URL: 'http://127.0.0.1:9/v1', MODEL: 'mine' },
  })
  await dev.until(/^Model +mine at http:\/\/127\.0\.0\.1:9/m)
  dev.signal('SIGTERM')
  t.equal((await dev.ended).code, 0)
})

t.test('a folder that is not there, and a file with a wrong name, are told: exit code 2', async t => {
  const folder = t.testdir({ 'Wrong.mjs': '' })
  t.match(await runReprise(['dev', path.join(folder, 'none')]), {
    code: 2,
    stderr: /none is no folder: reprise agent new NAME --folder .+ makes it, with an agent\n$/,
  })
  t.match(await runReprise(['dev', folder], { DATA_DIR: path.join(folder, 'data') }), {
    code: 2,
    stderr: /the file Wrong\.mjs has the name "Wrong"/,
  })
})
