// reprise model fake, as a process.
import path from 'node:path'
import t from 'tap'
import { runReprise } from '../support/server.ts'
import { start } from './support.ts'

const ask = (url: string) =>
  fetch(`${url}/chat/completions`, { method: 'POST', body: '{"messages":[{"role":"user","content":"hi"}]}' })

t.test('it says what to paste, answers from its script, and ends well', async t => {
  const folder = t.testdir({ 'script.json': '[{"text":"as told"}]' })
  const script = path.join(folder, 'script.json')
  const fake = start(t, ['model', 'fake', '--port', '0', '--script', script])
  await fake.until(/unset MODEL_API_KEY\n/)
  const url = /^export MODEL_BASE_URL=(http:\/\/127\.0\.0\.1:\d+\/v1)$/m.exec(fake.said.stdout)?.[1] ?? ''
  t.match(fake.said.stdout, /^export MODEL=fake-1$/m)
  t.match(fake.said.stdout, `Script       ${script} (1 answer)`)
  t.match(await (await ask(url)).json(), { choices: [{ message: { content: 'as told' } }] })
  const said = fake.said.stdout
  t.equal((await ask(url)).status, 500)
  fake.signal('SIGINT')
  t.same(await fake.ended, { code: 0, stdout: said, stderr: '' }, 'it was quiet')
})

t.test('without a script it finds its own answers; SIGTERM ends it well too', async t => {
  const fake = start(t, ['model', 'fake', '--port', '0'])
  await fake.until(/unset MODEL_API_KEY\n/)
  const url = /MODEL_BASE_URL=(\S+)/.exec(fake.said.stdout)?.[1] ?? ''
  t.match(await (await ask(url)).json(), { choices: [{ message: { content: /“hi”/ } }] })

  const port = new URL(url).port
  const second = await runReprise(['model', 'fake', '--port', port])
  const other = Number(port) < 65_535 ? Number(port) + 1 : Number(port) - 1
  t.same(second, {
    code: 2,
    stdout: '',
    stderr: `reprise: port ${port} is in use: reprise model fake --port ${other}\n`,
  })
  fake.signal('SIGTERM')
  t.equal((await fake.ended).code, 0)
})

t.test('what cannot be played is told in one line, exit code 2', async t => {
  const folder = t.testdir({ 'bad.json': '[{"text":1},{"txt":"a"}]', 'broken.json': '[{\n  "text": "a"\n' })
  const at = (file: string) => ['--script', path.join(folder, file)]
  const slips: [string[], RegExp][] = [
    [at('bad.json'), /bad\.json cannot be played: answer 1: text must be a text; answer 2: txt is no field/],
    [at('broken.json'), /broken\.json cannot be read: .*JSON/],
    [at('none.json'), /none\.json cannot be read: ENOENT/],
    [
      ['--fault', 'cut-in-cal'],
      /--fault cut-in-cal cannot be played: there is no fault cut-in-cal; .* --faults/,
    ],
    [['--fault', 'length@x'], /--fault length@x cannot be played: .* number of a request, from 1/],
    [['--port', '80x'], /--port 80x is not a whole number from 0 to 65535/],
    [['--host', '203.0.113.1'], /--host 203\.0\.113\.1 --port 8090 cannot be used/],
  ]
  for (const [args, says] of slips) {
    const { code, stdout, stderr } = await runReprise(['model', 'fake', ...args])
    t.match({ code, stdout }, { code: 2, stdout: '' }, args.join(' '))
    t.match(stderr, says)
    t.match(stderr, /^reprise: .+\n$/)
  }
})

t.test('it plays the faults that are named, and lists all that there are', async t => {
  const fake = start(t, ['model', 'fake', '--port', '0', '--fault', 'length', '--fault', 'no-usage@2'])
  await fake.until(/unset MODEL_API_KEY\n/)
  t.match(fake.said.stdout, /^Faults {7}length, no-usage@2$/m)
  const url = /MODEL_BASE_URL=(\S+)/.exec(fake.said.stdout)?.[1] ?? ''
  t.match(await (await ask(url)).json(), { choices: [{ finish_reason: 'length' }], usage: {} })
  t.match(await (await ask(url)).json(), { choices: [{ finish_reason: 'length' }], usage: undefined })
  fake.signal('SIGTERM')
  t.equal((await fake.ended).code, 0)

  const { code, stdout, stderr } = await runReprise(['model', 'fake', '--faults'])
  t.same({ code, stderr }, { code: 0, stderr: '' })
  t.match(stdout, /^cut-in-call {2,}The stream ends .*\.$/m)
  t.match(stdout, /^index-as-text {2,}The index of a call is a text\. \(chat\)$/m)
})
