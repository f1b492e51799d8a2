// The page of an export, opened from a file in a real browser: it shows the history with its slider, and verifies it
// there, without a server.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { seed } from '../console/seed.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { runReprise, serveHere } from '../support/server.ts'
import { faultsOf, openConsole, sees, tooWide } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const { api, dataDir } = await serveHere(t)
const folder = mkdtempSync(path.join(tmpdir(), 'export-page-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const ids = skip ? { tools: '', question: '', failed: '', written: '' } : await seed(api)

let made = 0
/** Exports a page, and resolves to its file. */
const exported = async (...args: string[]): Promise<string> => {
  const file = path.join(folder, `${++made}.html`)
  const { code, stderr } = await runReprise(['export', ...args, '--html', '--out', file], {
    DATA_DIR: dataDir,
  })
  if (code !== 0) throw new Error(stderr)
  return file
}
const keyOf = async () => (await (await api('GET', '/audit/public-key')).text()).split(' ')[0] ?? ''
const open = (t: Test, file: string, fragment = '', options = {}) =>
  openConsole(t, browser, `${pathToFileURL(file)}${fragment}`, { token: null, ...options })
const exportOfTask = skip ? '' : await exported(ids.tools)
/** A copy of a page in which one text stands for another. */
const changed = (file: string, from: string | RegExp, to: string): string => {
  const text = readFileSync(file, 'utf8')
  const other = text.replace(from, to)
  if (other === text) throw new Error(`the page does not hold ${from}`)
  const copy = path.join(folder, `${++made}.html`)
  writeFileSync(copy, other)
  return copy
}

t.test(
  'a task is shown at every moment of its history, and its state hash is that of the server',
  {
    skip,
  },
  async t => {
    const { page, complaints } = await open(t, exportOfTask, '#/?event=3')
    await sees(page, /from 4 stored events; nothing ran again/)
    await page.keyboard.press('End')
    await sees(page, 'The third offer is the cheapest: 100 a unit. I wrote it to')
    await page.locator('.task-head .is-completed').waitFor()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await sees(page, /from 2 stored events/)
    await page.getByRole('slider').fill('20')
    await sees(page, /from 20 stored events/)
    let hash = ''
    await until(async () => {
      hash = (await page.locator('.hash code').getAttribute('title')) ?? ''
      return hash !== ''
    })
    const { body } = await read(api('GET', `/audit/events?stream=task-${ids.tools}&limit=1000`))
    const { data: events } = body as unknown as { data: { position: number }[] }
    const path = `/tasks/${ids.tools}/replay?at=position:${events[19]?.position}`
    t.match((await read(api('POST', path))).body, { state_hash: hash })
    await until(() => page.url().endsWith('event=19'))
    await page.reload()
    await sees(page, /from 20 stored events/)
    t.equal(await page.getByRole('button', { name: /^(Pause|Resume|Cancel|Delete|Fork here)$/ }).count(), 0)
    t.same(complaints, [])
  },
)

t.test('messages are rendered as Markdown in an export, too, and load nothing', { skip }, async t => {
  const { page, complaints } = await open(t, await exported(ids.written))
  await page.locator('.prose th', { hasText: 'Before' }).waitFor()
  t.equal(await page.locator('.prose ol > li').count(), 3)
  t.match(await page.locator('.code-block pre').textContent(), /^def pages\(rows, size=100\):\n {4}"""/)
  t.equal(await page.locator('#console img').count(), 0)
  t.same(complaints, [])
})

t.test('the page verifies every event, and with the key of the log it is proven', { skip }, async t => {
  const { page, complaints } = await open(t, exportOfTask)
  await page.getByRole('link', { name: '✓ Fits; check the key' }).click()
  await sees(page, /Every event fits the signed checkpoint. The key came with this page/)
  await sees(page, /it ended with TaskCompleted/)
  await page.getByLabel('Key').fill('nonsense')
  await page.keyboard.press('Enter')
  await sees(page, /is no verifier key|no key/)
  await page.getByLabel('Key').fill(await keyOf())
  await page.keyboard.press('Enter')
  await sees(page, /^Proven: every event here was in the log/)
  await page.goBack()
  await page.keyboard.press('Home')
  await page.getByRole('link', { name: 'Prove this event' }).click()
  await sees(page, /^Proven: the event is in the log/)
  t.equal(await page.locator('.proof-steps .right').count(), 4)
  t.same(complaints, [])
  t.match(await runReprise(['verify', exportOfTask, '--key', await keyOf()]), {
    code: 0,
    stdout: /the export fits\n$/,
  })
})

t.test('one changed byte of a payload, a header, a proof or a signature shows red', { skip }, async t => {
  const changes: [string, string | RegExp, string, RegExp][] = [
    ['a payload', 'cheapest', 'Cheapest', /position \d+, task-.+: the event does not match its digest/],
    ['a header', 'TaskStarted', 'TaskstArted', /the event is not proven by the checkpoint|does not match/],
    ['a proof', /"hashes":\["./, '"hashes":["*', /the event is not proven by the checkpoint/],
    ['the signature', /(— reprise\/\S+ \S{20})(.)/, '$1*', /signature|no note/],
    ['a missing event', /\{"position":\d+,[^\n]+"revision\\":2,[^\n]+\n/, '', /revision 3, and revision 2/],
  ]
  for (const [what, from, to, reason] of changes) {
    const copy = changed(exportOfTask, from, to)
    const { page, context } = await open(t, copy)
    await page.locator('.verdict.wrong').waitFor()
    t.match(await page.locator('.verdict.wrong').textContent(), reason, what)
    await page.getByRole('link', { name: '✕ Does not fit' }).waitFor()
    await context.close()
  }
  const copy = changed(exportOfTask, 'cheapest', 'Cheapest')
  t.match(await runReprise(['verify', copy]), { code: 1, stderr: /the event does not match its digest/ })
})

t.test('another key than that of the log shows red', { skip }, async t => {
  const other = (await keyOf()).replace(/\+([0-9a-f]{8})\+/, '+00000000+')
  const { page } = await open(t, exportOfTask, '#/verification')
  await page.getByLabel('Key').fill(other)
  await page.keyboard.press('Enter')
  await page.locator('.problem, .verdict.wrong').waitFor()
})

t.test('no text of a task becomes a part of the page, and the page runs one script', { skip }, async t => {
  const evil = '</script><script>alert(1)</script><!--<script><img src=x onerror="alert(2)">'
  const item = { type: 'message', role: 'assistant', message_content: evil }
  const script = [{ reasoning: evil }, { fail: { code: -32000, message: evil } }]
  const body = {
    user_message_content: evil,
    history_messages: [item],
    stream: false,
    user_id: 'evil-<b>user',
    session_id: 'evil',
    agent_config: { agent_id: 'script', script },
  }
  const { id } = (await read(api('POST', '/tasks', body))).body.result
  const file = await exported('--session', 'evil')
  const { page, complaints } = await open(t, file)
  await sees(page, /alert\(1\)/)
  await page.getByRole('link', { name: '✓ Fits; check the key' }).waitFor()
  for (const summary of await page.locator('details > summary').all()) await summary.click()
  t.equal(await page.locator('#console :is(img, script, b b, [onerror])').count(), 0)
  t.equal(await page.locator('script:not([data-file])').count(), 1)
  t.same(complaints, [])
  // The policy refuses a script that somebody adds.
  const added = changed(file, '</body>', '<script>document.title = "ran"</script></body>')
  const refused = await open(t, added)
  await sees(refused.page, /alert\(1\)/)
  t.not(await refused.page.title(), 'ran')
  t.match(await runReprise(['verify', file, '--key', await keyOf()]), { code: 0 })
  t.ok(id)
})

t.test('what was erased is said, and the rest is shown', { skip }, async t => {
  const create = { stream: false, client_id: 'echo', session_id: 'partly', user_id: 'eve' }
  const made = []
  for (const user_message_content of ['Forget this', 'Keep this'])
    made.push((await read(api('POST', '/tasks', { ...create, user_message_content }))).body.result.id)
  t.equal((await api('DELETE', `/tasks/${made[0]}?erase=true&cascade=true&reason=asked`)).status, 200)
  const { page, complaints } = await open(t, await exported('--user', 'eve'))
  await page.getByRole('link', { name: `task-${made[0]}`, exact: true }).click()
  await sees(page, /The content of \d+ events was erased by .+\(asked\), as position \d+ of the log says/)
  await page.locator('details > summary').first().click()
  await sees(page, 'It was erased.')
  t.notOk((await page.content()).includes('Forget this'))
  await page.getByRole('link', { name: '✓ Fits; check the key' }).click()
  await sees(page, /of them erased by the event at position \d+/)
  t.same(complaints, [])
})

t.test('the whole log is a page too, whose tree is computed there', { skip }, async t => {
  const { page, complaints } = await open(t, await exported('--all'))
  await page.getByRole('link', { name: '✓ Fits; check the key' }).click()
  await sees(page, /all positions from 1 to \d+, in the tree of the checkpoint/)
  await page.goBack()
  await page.getByRole('link', { name: 'Book the flight to Lisbon' }).click()
  await sees(page, 'the airline refused the booking')
  t.same(complaints, [])
})

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(`axe finds nothing, and nothing is too wide, in ${colorScheme}`, { skip }, async t => {
    const file = await exported('--user', 'ann')
    const opened = await open(t, file, '', { colorScheme })
    const { page } = opened
    for (const fragment of ['#/', `#/tasks/${ids.tools}?event=20`, '#/verification', '#/nothing']) {
      await page.goto(`${pathToFileURL(file)}${fragment}`)
      await page.locator('main:not(:has(.loading))').waitFor()
      for (const width of [400, 2560, 1280]) {
        await page.setViewportSize({ width, height: 900 })
        t.equal(await tooWide(page), 0, `${fragment} at ${width}`)
      }
      if (colorScheme === 'light' || fragment === '#/verification') t.same(await faultsOf(page), [], fragment)
    }
    t.same(opened.complaints, [])
  })
}
