// The console in a real browser: signing in, the live list, starting, answering, going back, and what it shows of hostile
// texts.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { seed } from '../console/seed.ts'
import { envCalls, kept, modules } from '../http/env-calls.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { adminToken, serveHere, spawnServer } from '../support/server.ts'
import { faultsOf, openConsole, sees, tooWide } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const { url, api, consoleLink } = await serveHere(t)
const ids = skip ? { tools: '', question: '', failed: '' } : await seed(api)

t.test('a one-time link signs in, once, and the token ends when its user signs out', { skip }, async t => {
  const link = `${url}${consoleLink()}`
  const { page, complaints } = await openConsole(t, browser, link, { token: null })
  await sees(page, 'Pay the invoice of the printer')
  t.equal(page.url(), `${url}/ui`, 'the ticket is gone from the address')
  const kept = (await page.evaluate("sessionStorage.getItem('reprise-console')")) as string
  const { token } = JSON.parse(kept) as { token: string }
  await page.getByRole('button', { name: 'Sign out' }).click()
  await sees(page, 'Paste an access token')
  t.equal(await page.evaluate('sessionStorage.length'), 0)
  const own = { authorization: `Bearer ${token}` }
  await until(async () => (await api('GET', '/auth/token', undefined, own)).status === 401)
  await page.goto(link.replace('/ui#', '/ui?again#'))
  await sees(page, /used before/)
  await page.getByLabel('Access token').fill('nonsense')
  await page.keyboard.press('Enter')
  await sees(page, /unknown or no longer valid/)
  await page.getByLabel('Access token').fill(adminToken)
  await page.keyboard.press('Enter')
  await sees(page, 'Needs attention')
  t.same(complaints, [])
})

t.test('roles decide what is shown', { skip }, async t => {
  const tokenOf = async (role: string, user_id?: string) =>
    ((await read(api('POST', '/auth/tokens', { role, user_id }))).body as unknown as { token: string }).token
  const auditor = await openConsole(t, browser, `${url}/ui/tasks/${ids.question}`, {
    token: await tokenOf('auditor'),
  })
  await sees(auditor.page, 'Before I pay, somebody must approve it.')
  for (const name of ['Cancel', 'Answer', 'Delete'])
    t.equal(await auditor.page.getByRole('button', { name, exact: true }).count(), 0, name)
  const bob = await openConsole(t, browser, `${url}/ui`, { token: await tokenOf('user', 'bob') })
  await sees(bob.page, 'Write a long report about the harbour')
  t.equal(await bob.page.getByText('Pay the invoice of the printer').count(), 0)
  const subscriber = await openConsole(t, browser, `${url}/ui`, { token: await tokenOf('subscriber') })
  await sees(subscriber.page, 'This token can only subscribe to events')
  t.same([...auditor.complaints, ...bob.complaints, ...subscriber.complaints], [])
})

t.test('the list is live, and its filters are in the address', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui`)
  await sees(page, 'Live')
  const made = await read(
    api('POST', '/tasks', {
      user_message_content: 'Shown at once',
      stream: false,
      client_id: 'echo',
      user_id: 'zoe',
    }),
  )
  const row = page.locator('tr', { hasText: 'Shown at once' })
  await row.filter({ hasText: 'completed' }).filter({ hasText: 'echo' }).waitFor()
  await page.getByRole('searchbox', { name: 'User' }).fill('zoe')
  await until(async () => (await page.locator('table.tasks tbody tr').count()) === 1)
  t.equal(new URL(page.url()).searchParams.get('user'), 'zoe')
  await page.goto(`${url}/ui?status=failed`)
  await sees(page, 'the airline refused the booking')
  t.equal(await page.getByRole('button', { name: /^✕? ?failed/ }).getAttribute('aria-pressed'), 'true')
  t.equal(await page.locator('table.tasks tbody tr').count(), 1)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await row.waitFor()
  await read(api('DELETE', `/tasks/${made.body.result.id}`))
  await row.waitFor({ state: 'detached' })
  t.same(complaints, [])
})

t.test(
  'a newcomer starts an example, answers its question and sees it end, by keyboard alone',
  { skip },
  async t => {
    const { page, complaints } = await openConsole(t, browser, `${url}/ui`)
    const example = page.getByRole('button', { name: /^Ask a person/ })
    await example.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('n')
    t.equal(await page.evaluate('document.activeElement.id'), 'new-task')
    await page.keyboard.press('Enter')
    await sees(page, 'Waits for you')
    await page.getByLabel('Approve the payment').focus()
    await page.keyboard.press('Space')
    await page.getByLabel('Note').fill('as agreed')
    await page.keyboard.press('Enter')
    await sees(page, /The answer was: \{"approved":true,"note":"as agreed"\}/)
    await page.locator('.task-head .is-completed').waitFor()
    await sees(page, 'Complete')
    t.same(complaints, [])
  },
)

t.test('a task is paused, resumed, told something, canceled and forked', { skip }, async t => {
  const script = [
    { message: 'word '.repeat(300), delta_ms: 20 },
    { sleep_ms: 100 },
    { message: 'again '.repeat(900), delta_ms: 20 },
  ]
  const body = {
    user_message_content: 'Talk',
    stream: false,
    background: true,
    agent_config: { agent_id: 'script', script },
  }
  const { id } = (await read(api('POST', '/tasks', body))).body.result
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${id}`)
  await sees(page, /word word/)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.locator('.task-head .is-paused').waitFor({ timeout: 30_000 })
  await page.getByLabel('Say something to the agent').fill('A hint from me')
  await page.keyboard.press('Enter')
  await sees(page, 'A hint from me')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.locator('.task-head .is-working').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('.task-head .is-canceled').waitFor()
  await page.keyboard.press('Home')
  await page.keyboard.press('m')
  await page.getByRole('button', { name: 'Fork here' }).click()
  await until(async () => !page.url().includes(id))
  await sees(page, 'Fork of')
  await page.locator('.task-head .is-paused, .task-head .is-working, .task-head .is-completed').waitFor()
  await page.getByRole('link', { name: 'compare', exact: true }).click()
  await sees(page, /They have the same history up to frame \d+/)
  t.ok((await page.locator('.pair.other').count()) > 0)
  t.same(complaints, [])
})

t.test('the state hash at every position is that of the server’s replay', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${ids.tools}?event=0`)
  await sees(page, /folded 1 event, ran nothing/)
  const { body } = await read(api('GET', `/audit/events?stream=task-${ids.tools}&limit=1000`))
  const { events } = body as unknown as { events: { position: number }[] }
  t.ok(events.length > 30)
  const shown = page.locator('.hash code')
  const hashes = new Map<number, string>()
  // Forward, and in leaps backward, which begins at copies of views.
  const [forward, back] = [2, 9].map(step => [...events.keys()].filter(n => n % step === 1))
  for (const n of [...(forward ?? []), ...(back ?? []).reverse()]) {
    await page.getByRole('slider').fill(String(n + 1))
    await page.getByText(`folded ${n + 1} event`).waitFor()
    let hash = ''
    await until(async () => {
      hash = (await shown.getAttribute('title')) ?? ''
      return hash !== ''
    })
    if (!hashes.has(n)) {
      const path = `/tasks/${ids.tools}/replay?at=position:${events[n]?.position}`
      const replay = (await read(api('POST', path))).body as unknown as {
        state_hash: string
        matches: boolean
      }
      t.match(replay, { matches: true })
      hashes.set(n, replay.state_hash)
    }
    t.equal(hash, hashes.get(n), `after event ${n}`)
  }
  t.ok(new Set(hashes.values()).size > 10)
  await page.getByRole('button', { name: 'Compare with the server' }).click()
  await sees(page, /the server’s replay gives the same/)
  t.same(complaints, [])
})

t.test('the proof of an event is computed in the page, and one changed letter is seen', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${ids.tools}?event=3`)
  await page.getByRole('link', { name: 'Prove this event' }).click()
  await sees(page, /^Proven: the event is in the log/)
  t.equal(await page.locator('.proof-steps .right').count(), 4)
  t.same(await faultsOf(page), [])
  await page.getByLabel('Change one letter of the payload here').check()
  await sees(page, /^Not proven/)
  t.same(await page.locator('.proof-steps .wrong b').allTextContents(), ['✕ Payload'])
  await page.goto(`${url}/ui/proof/999999999`)
  await sees(page, /beyond the end|no event/)
  t.same(complaints, [])
})

t.test('no text of a task becomes a part of the page', { skip }, async t => {
  const evil = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
  const table = { type: 'table', columns: [evil], rows: [[evil]] }
  const item = { type: 'message', role: 'assistant', message_content: evil, block_list: [table] }
  const content = [
    { type: 'text', text: `${evil}\n\`\`\`${evil}\n${evil}\n\`\`\`` },
    { type: 'image_url', image_url: { url: 'https://elsewhere.example/pixel.png' } },
    { type: 'file', file: { file_url: 'javascript:alert(3)', filename: evil } },
  ]
  const script = [
    { reasoning: evil },
    { tool: 'calculator', arguments: { expression: evil } },
    { fail: { code: -32000, message: evil } },
  ]
  const body = {
    user_message_content: content,
    history_messages: [item],
    stream: false,
    user_id: 'evil-<b>user',
    agent_config: { agent_id: 'script', script },
  }
  const { id } = (await read(api('POST', '/tasks', body))).body.result
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${id}`)
  await sees(page, /alert\(2\)/)
  for (const summary of await page.locator('details > summary').all()) await summary.click()
  t.equal(await page.locator('#console :is(img, script, b b, [onerror])').count(), 0)
  t.equal(await page.locator('a[href^="javascript"]').count(), 0)
  await page.goto(`${url}/ui?error=alert`)
  await sees(page, /alert\(2\)/)
  t.equal(await page.locator('#console :is(img, script)').count(), 0)
  t.same(complaints, [])
})

t.test('the server is killed and started under an open console, which goes on', { skip }, async t => {
  const dataDir = t.testdir()
  const first = await spawnServer(t, dataDir)
  const PORT = new URL(first.url).port
  const words = Array.from({ length: 400 }, (_, n) => `w${n}`).join(' ')
  const script = [{ message: words, delta_ms: 10 }]
  const body = { user_message_content: 'Count', stream: false, background: true }
  const create = { ...body, agent_config: { agent_id: 'script', script } }
  const { id } = (await read(first.api('POST', '/tasks', create))).body.result
  const list = await openConsole(t, browser, `${first.url}/ui`)
  const task = await openConsole(t, browser, `${first.url}/ui/tasks/${id}`)
  await sees(list.page, 'Live')
  await sees(task.page, /w5 w6/)
  await first.end('SIGKILL')
  for (const { page } of [list, task]) await sees(page, 'Connection lost, trying again')
  const second = await spawnServer(t, dataDir, { PORT })
  await sees(list.page, 'Live')
  await read(
    second.api('POST', '/tasks', { ...body, user_message_content: 'After the kill', client_id: 'echo' }),
  )
  await list.page.locator('tr', { hasText: 'After the kill' }).filter({ hasText: 'completed' }).waitFor()
  t.equal(await list.page.locator('table.tasks tbody tr').count(), 2, 'each task once')
  await task.page.locator('.task-head .is-completed').waitFor({ timeout: 60_000 })
  const [cutOff, whole] = await task.page.locator('.said.by-agent .prose').allTextContents()
  t.equal(whole, words, 'the whole text, once')
  t.ok(words.startsWith((cutOff ?? '').trim()), 'and before it what was said until the kill')
  await sees(task.page, 'AgentStepAbandoned')
  await task.page.getByRole('button', { name: 'Compare with the server' }).click()
  await sees(task.page, /the server’s replay gives the same/)
  t.same([...list.complaints, ...task.complaints], [])
})

t.test('a call whose outcome is unknown runs again, or gets its result, by one press', { skip }, async t => {
  const dataDir = t.testdir()
  const file = (name: string) => path.join(dataDir, name)
  const first = await spawnServer(t, dataDir, { ENV_PATH: modules })
  const idsOfTasks: string[] = []
  for (const session_id of ['again', 'given']) {
    const env_init_kwargs = { trace: file(`${session_id}.trace`) }
    await envCalls(first.api).made({ session_id, env_class_path: kept, env_init_kwargs })
    const hold = { tool: 'hold', arguments: { file: file(`${session_id}.go`) } }
    const script = [hold, { message: 'so: $result' }]
    const agent_config = { agent_id: 'script', script }
    const body = { user_message_content: 'Hold', stream: false, background: true, session_id, agent_config }
    idsOfTasks.push((await read(first.api('POST', '/tasks', body))).body.result.id)
  }
  const [again = '', given = ''] = idsOfTasks
  await until(() => existsSync(file('again.go.begun')) && existsSync(file('given.go.begun')))
  await first.end('SIGKILL')
  for (const name of ['again.go', 'given.go']) writeFileSync(file(name), '')
  const { url } = await spawnServer(t, dataDir, { ENV_PATH: modules })
  const { page, complaints } = await openConsole(t, browser, `${url}/ui`)
  await sees(page, 'outcome unknown')
  await page.goto(`${url}/ui/tasks/${again}`)
  await page.getByRole('button', { name: 'It did not: run it again' }).click()
  await page.locator('.task-head .is-completed').waitFor()
  await page.goto(`${url}/ui/tasks/${given}`)
  await page.getByLabel('It did, with this result').fill('held by hand')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await sees(page, 'so: held by hand')
  await page.locator('.task-head .is-completed').waitFor()
  t.same(complaints, [])
})

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(`axe finds nothing, and nothing is too wide, in ${colorScheme}`, { skip }, async t => {
    const opened = await openConsole(t, browser, `${url}/ui`, { colorScheme })
    const { page } = opened
    for (const path of [
      '',
      `/tasks/${ids.tools}?event=20`,
      `/tasks/${ids.question}`,
      '/proof/3',
      '/nothing',
    ]) {
      await page.goto(`${url}/ui${path}`)
      await page.locator('main:not(:has(.loading))').waitFor()
      for (const width of [400, 800, 2560, 1280]) {
        await page.setViewportSize({ width, height: 900 })
        t.equal(await tooWide(page), 0, `${path} at ${width}`)
        const isChecked = width === 1280 || (width === 400 && colorScheme === 'light')
        if (isChecked) t.same(await faultsOf(page), [], `${path} at ${width}`)
      }
    }
    t.same(opened.complaints, [])
  })
}
