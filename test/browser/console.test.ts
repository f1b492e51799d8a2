// The console in a real browser: signing in, the live list, going back, and what it shows of hostile texts. What somebody
// does with a task is in console-tour.test.ts.
import t from 'tap'
import { seed } from '../console/seed.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { adminToken, serveHere, spawnServer } from '../support/server.ts'
import { faultsOf, openConsole, sees, tooWide } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const { url, api, consoleLink } = await serveHere(t)
const ids = skip ? { tools: '', question: '', failed: '', written: '' } : await seed(api)

t.test('a one-time link signs in, once, and the token ends when its user signs out', { skip }, async t => {
  const link = `${url}${consoleLink()}`
  const { page, complaints } = await openConsole(t, browser, link, { token: null })
  await sees(page, 'Pay the invoice of the printer')
  t.equal(page.url(), `${url}/ui`, 'the ticket is gone from the address')
  const kept = (await page.evaluate("sessionStorage.getItem('reprise-console /')")) as string
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

t.test('the state hash at every position is that of the server’s replay', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${ids.tools}?event=0`)
  await sees(page, /from 1 stored event; nothing ran again/)
  const { body } = await read(api('GET', `/audit/events?stream=task-${ids.tools}&limit=1000`))
  const { data: events } = body as unknown as { data: { position: number }[] }
  t.ok(events.length > 30)
  const shown = page.locator('.hash code')
  const hashes = new Map<number, string>()
  // Forward, and in leaps backward, which begins at copies of views.
  const [forward, back] = [2, 9].map(step => [...events.keys()].filter(n => n % step === 1))
  for (const n of [...(forward ?? []), ...(back ?? []).reverse()]) {
    await page.getByRole('slider').fill(String(n + 1))
    await page.getByText(`from ${n + 1} stored event`).waitFor()
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

/** Sends the stored events of a stream in two parts to the page, and a third one when `goOn()` is called there. */
const readSlowly = `{
  const given = window.fetch
  const released = new Promise(resolve => { window.goOn = resolve })
  window.fetch = async (address, options) => {
    const answer = await given(address, options)
    if (!String(address).startsWith('/v1/audit/events?stream=')) return answer
    const lines = (await answer.text()).split('\\n').filter(Boolean)
    const encoder = new TextEncoder()
    const part = (from, to) => encoder.encode(lines.slice(from, to).map(line => line + '\\n').join(''))
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(part(0, 10))
        await new Promise(resolve => setTimeout(resolve, 600))
        controller.enqueue(part(10, 20))
        await released
        controller.enqueue(part(20))
        controller.close()
      },
    })
    return new Response(body, answer)
  }
}`

t.test(
  'a history can be looked at while it is still read, and says how much is there',
  {
    skip,
  },
  async t => {
    const { page, context, complaints } = await openConsole(t, browser, `${url}/ui`)
    await context.addInitScript({ content: readSlowly })
    await page.goto(`${url}/ui/tasks/${ids.tools}`)
    await sees(page, 'Loading… 20 events so far')
    for (const name of ['Cancel', 'Fork here', 'Delete'])
      t.equal(await page.getByRole('button', { name, exact: true }).count(), 0, `no ${name} yet`)
    await page.getByRole('slider').fill('12')
    await sees(page, /from 12 stored events; nothing ran again/)
    await sees(page, 'as of event 11')
    await page.keyboard.press('Home')
    await sees(page, /from 1 stored event; nothing ran again/)
    await page.evaluate('goOn()')
    await page.locator('.task-head .is-completed').waitFor()
    await page.getByRole('button', { name: 'Fork here' }).waitFor()
    await sees(page, /from 1 stored event; nothing ran again/) // it stays where its reader was
    await page.keyboard.press('End')
    await sees(page, 'The third offer is the cheapest: 100 a unit. I wrote it to')
    t.same(complaints, [])
  },
)

t.test('the proof of an event is computed in the page, and one changed letter is seen', { skip }, async t => {
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${ids.tools}?event=3`)
  // A checkpoint may be a moment behind the log. The page waits for one that covers the event.
  const behind = 'reprise/x\n0\nx\n\n'
  await page.route('**/v1/audit/checkpoint', route => route.fulfill({ body: behind }), { times: 1 })
  await page.getByRole('link', { name: 'Prove this event' }).click()
  await sees(page, /^Proven: the event is in the log/)
  t.equal(await page.locator('.proof-steps .right').count(), 4)
  t.same(await faultsOf(page), [])
  await page.getByLabel('Change one letter of the payload here').check()
  await sees(page, /^Not proven/)
  t.same(await page.locator('.proof-steps .wrong b').allTextContents(), ['✕ Payload'])
  await page.goto(`${url}/ui/proof/999999999`)
  await sees(page, 'Not found')
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

/** The panels of a task in the order in which a phone shows them. */
const panels = ['Waits for you', 'Conversation', 'Facts', 'Statechart', 'Events']
/** Their names, from the top of the page to its end. Runs in the page. */
const readingOrder = `${JSON.stringify(panels)}
  .map(name => document.querySelector('main [aria-label="' + name + '"]'))
  .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
  .map(panel => panel.ariaLabel)`

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
        if (width === 400 && path.endsWith(ids.question))
          t.same(await page.evaluate(readingOrder), panels, 'what waits, then what was said')
        const isChecked = width === 1280 || (width === 400 && colorScheme === 'light')
        if (isChecked) t.same(await faultsOf(page), [], `${path} at ${width}`)
      }
    }
    t.same(opened.complaints, [])
  })
}
