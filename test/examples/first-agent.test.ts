// The guide to the first agent, as somebody copies it: from an empty folder to a web page, a job and a webhook.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { frameSchemas } from '../../src/contract/frames.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { noReader, readerOf, type Seen } from '../support/reader.ts'

const page = 'docs/first-agent.md'
const browser = await launchBrowser()
t.teardown(() => browser?.close())

const of = (seen: Seen[], text: string): Seen => {
  const found = seen.find(({ block }) => block.text.includes(text))
  if (found === undefined) throw new Error(`no block with ${text}`)
  return found
}

t.test('the guide names every frame of a stream, with its fields', async t => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../..', page), 'utf8')
  const rows = text.split('\n').filter(line => line.startsWith('| `task.'))
  for (const [type, { properties }] of Object.entries(frameSchemas)) {
    const n = rows.findIndex(row => row.includes(`\`${type}\``))
    t.ok(n >= 0, type)
    if (type === 'task.rollout') continue
    // "The same" is what the row above says.
    const fields = rows.slice(0, n + 1).findLast(row => !row.endsWith('| the same |'))
    for (const field of Object.keys(properties))
      if (!['type', 'sequence_number', 'task_id'].includes(field))
        t.match(fields, `\`${field}\``, `${field} of ${type}`)
  }
})

/** In a web browser, as the guide says: ask, read, and answer the question. */
const asks = async (t: Test, url: string, answer: 'Approve' | 'Decline') => {
  const context = await browser?.newContext()
  t.teardown(() => context?.close())
  const tab = await context?.newPage()
  if (tab === undefined) throw new Error(noBrowser)
  const complaints: string[] = []
  tab.on('pageerror', error => complaints.push(error.message))
  await tab.goto(url)
  await tab.getByRole('button', { name: 'Ask' }).click()
  await tab.getByText('Pay 34.00 EUR back for order 1001?', { exact: true }).waitFor()
  await tab.getByRole('button', { name: answer }).click()
  await tab.locator('output').filter({ hasText: 'completed' }).waitFor()
  t.same(complaints, [])
  return tab.locator('#said p').allTextContents()
}

const hasZsh = spawnSync('zsh', ['--version']).status === 0
for (const env of [{}, { DATA_DIR: 'of my own', SHELL: hasZsh ? 'zsh' : 'bash' }] as Record<
  string,
  string
>[]) {
  const where = env.DATA_DIR === undefined ? '' : ', with a data folder of their own'
  t.test(`somebody copies the guide word by word${where}`, { skip: noReader }, async (t): Promise<void> => {
    const reader = await readerOf(t, page, env)
    const seen = await reader.copyAll()
    const left = reader.blocks.filter(
      block => block.language === 'sh' && !seen.some(one => one.block === block),
    )
    t.same(
      left.map(({ heading }) => heading),
      ['With a real model'],
      'only the block with the key of a model is left',
    )
    const first = of(seen, '"stream": true').printed
    t.match(
      first,
      /event: task\.tool_result\.done[\s\S]*event: task\.text\.delta[\s\S]*event: task\.input_required/,
    )
    const received = of(seen, 'node first-agent/receiver.mjs').terminal
    await received.until(/^\d+ .*"CronJobCompleted".*"name":"morning report"/m)
    t.notMatch(of(seen, '"types"').printed, /whsec_/, 'the secret goes to its file')

    if (browser === undefined || env.DATA_DIR !== undefined) return
    const said = await asks(t, reader.here('http://127.0.0.1:3000'), 'Approve')
    t.same(said, [
      '→ shop__find_order {"number":1001}',
      'I am sorry about the mugs. I ask the manager.',
      '→ ask_manager {"question":"Pay 34.00 EUR back for order 1001?"}',
      '→ shop__refund {"number":1001}',
      'You will have your 34.00 EUR within three days.',
    ])
    const refused = await asks(t, reader.here('http://127.0.0.1:3000'), 'Decline')
    t.match(refused.at(-1), /does not pay/)
  })
}
