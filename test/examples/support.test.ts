// The support desk of examples/support, as its README starts it. The server is killed in the middle of a letter.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import * as client from '../../library/client/index.ts'
import { noReader, readerOf } from '../support/reader.ts'

const folder = path.resolve(import.meta.dirname, '../../examples/support')
const textOf = (file: string) => readFileSync(path.join(folder, file), 'utf8')
const page = textOf('page.html')

t.test('without its environment it has at most 45 lines', async t => {
  const files = ['agents/support.mjs', 'setup.mjs', 'server.mjs', 'page.html']
  const lines = files
    .flatMap(file => textOf(file).split('\n'))
    .filter(line => !/^\s*(\/\/.*|<!--.*)?$/.test(line))
  t.ok(lines.length <= 45, `${lines.length} lines`)
})

/** The page with the button that it has pressed, in place of a browser. `confirm`: what the human says. */
const openPage = (hash: string, letter: string, confirm: (question: string) => boolean) => {
  const said: string[] = []
  const button = { onclick: async () => {} }
  const parts = [{ value: letter }, button, { append: (text: string) => said.push(text) }]
  const script = /<script type="module">([\s\S]*)<\/script>/.exec(page)?.[1] ?? ''
  const body = script.replace("import { Reprise } from './client.mjs'", '')
  const document = { querySelectorAll: () => parts }
  runInNewContext(body, { ...client, document, confirm, location: { hash }, URLSearchParams, Object })
  return { answer: () => button.onclick(), said: () => said.join('') }
}

t.test(
  'a letter is answered, and the money paid once, also when the server is killed',
  { skip: noReader },
  async t => {
    const reader = await readerOf(t, 'examples/support/README.md')
    const [model, start, desk] = reader.blocks.filter(({ language }) => language === 'sh')
    if (model === undefined || start === undefined || desk === undefined)
      throw new Error('the page has other blocks')
    await reader.copy(model)
    const server = await reader.copy(start)
    const receiver = await reader.copy(desk)

    const url = reader.here('http://127.0.0.1:8080')
    const admin = readFileSync(path.join(reader.folder, 'data/admin-token'), 'utf8').trim()
    const token = /^rp_\S+$/m.exec(receiver.terminal.output())?.[0] ?? ''
    const shop = reader.here('http://127.0.0.1:3000')
    t.equal(await (await fetch(shop)).text(), page)
    t.match((await fetch(`${shop}/client.mjs`)).headers.get('content-type'), 'text/javascript')
    t.equal(
      (await fetch(`${shop}/hook`, { method: 'POST', body: '{}' })).status,
      400,
      'nobody else is believed',
    )

    const { port } = new URL(shop)
    const aborted = connect(Number(port), '127.0.0.1', () =>
      aborted.end('POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'),
    )
    await once(aborted.resume(), 'close')
    t.equal((await fetch(shop)).status, 200, 'a request that breaks off does no harm')

    const questions: string[] = []
    let again: Promise<unknown> = Promise.resolve()
    const letter = openPage(
      `#baseUrl=${url}&token=${token}`,
      'My mugs of order 1001 arrived broken.',
      question => {
        questions.push(question)
        server.terminal.end()
        again = reader.copy(start)
        return true
      },
    )
    await letter.answer()
    await again
    t.same(questions, ['Pay 34 EUR for order 1001?'])
    t.match(letter.said(), /^I am sorry about your mugs\. You will have your 34 EUR within three days\.$/)

    const reprise = new client.Reprise({ baseUrl: url, token: admin })
    const [task, ...more] = await reprise.tasks.list().all()
    t.same(more, [], 'there is one task')
    t.match(await reprise.env.observe(task?.session_id ?? ''), { state: { refunds: [1001] } })
    const [job] = await reprise.cron.list().all()
    const { task_id } = await reprise.cron.trigger(job?.job_id ?? '')
    t.equal(await reprise.tasks.follow(task_id ?? '').text(), 'Good morning!')
    await receiver.terminal.until(new RegExp(`${task_id} completed`))
    t.equal(receiver.terminal.output().split(`${task?.id} completed`).length, 2, 'the webhook hears of it')
  },
)
