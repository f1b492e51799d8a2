// Messages as Markdown in a real browser: what they look like, while they arrive, and when somebody wrote them to do harm.
import t from 'tap'
import { report, seed } from '../console/seed.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { faultsOf, openConsole, sees, tooWide } from './console-page.ts'
import { say } from './tabs.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const { url, api } = await serveHere(t)
const ids = skip ? { written: '' } : await seed(api)

t.test(
  'an answer has its lists, its table and its code, and its text can be seen and copied',
  { skip },
  async t => {
    const { page, context, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${ids.written}`)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const answer = page.locator('.said.by-agent')
    await answer.locator('h3', { hasText: 'What the log says' }).waitFor()
    t.same(await answer.locator('strong').allTextContents(), ['slow for 12 minutes'])
    t.same(await answer.locator('ol > li').count(), 3)
    t.same(await answer.locator('ol ul > li').allTextContents(), ['100 rows at a time,', 'newest first.'])
    t.same(await answer.locator('td.to-right').allTextContents(), ['4 200 ms', '3 ms', '180 ms', '175 ms'])
    const link = answer.getByRole('link', { name: 'the manual' })
    t.equal(await link.getAttribute('href'), 'https://example.com/indexes')
    t.match(await link.getAttribute('rel'), /noopener/)
    await answer.locator('.code-block .is-keyword', { hasText: 'def' }).waitFor()
    t.ok(
      report.includes((await answer.locator('.code-block pre').textContent()) ?? 'none'),
      'the code is whole',
    )
    t.equal(await answer.locator('img').count(), 0, 'an image elsewhere is a link')
    await answer
      .getByRole('link', { name: 'Image “The plan” at https://elsewhere.example/plan.png' })
      .waitFor()
    await answer.getByRole('button', { name: 'Text' }).click()
    t.equal(await answer.locator('.plain').textContent(), report)
    await answer.locator('.text-buttons').getByRole('button', { name: 'Copy' }).click()
    t.equal(await page.evaluate('navigator.clipboard.readText()'), report)
    await answer.getByRole('button', { name: 'Rendered' }).click()
    await answer.locator('table').waitFor()
    await answer.locator('.code-block').getByRole('button', { name: 'Copy' }).click()
    t.match(await page.evaluate('navigator.clipboard.readText()'), /^def pages/)
    for (const width of [400, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      t.equal(await tooWide(page), 0)
      t.same(await faultsOf(page), [])
    }
    t.same(complaints, [])
  },
)

/** Notes what the page draws of an answer: each kind of element, and each element that it takes away again. */
const watch = `{
  window.seen = new Set(); window.gone = []
  const drawn = new WeakSet()
  new MutationObserver(changes => {
    for (const { addedNodes, removedNodes } of changes) {
      for (const node of addedNodes)
        for (const each of node.querySelectorAll ? [node, ...node.querySelectorAll('*')] : [])
          if (each.closest('.said.by-agent .prose')) {
            drawn.add(each)
            window.seen.add(each.tagName)
          }
      for (const node of removedNodes)
        if (drawn.has(node)) window.gone.push(node.outerHTML)
    }
  }).observe(document, { childList: true, subtree: true })
}`

t.test('while an answer arrives, nothing that was drawn is taken away again', { skip }, async t => {
  const message =
    'Two things:\n\n- one **bold** word\n- two\n\n```js\nlet a = 1\n\nlet b = `x`\n```\n\n1. first\n2. second\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.'
  const { page, context, complaints } = await openConsole(t, browser, `${url}/ui`)
  await context.addInitScript({ content: watch })
  const id = await say(api, 'Write something', [{ message, delta_ms: 60 }])
  await page.goto(`${url}/ui/tasks/${id}`)
  // Half of the code is there: its fence is open.
  await page.locator('.task-head .is-working').waitFor()
  await page.locator('.said.by-agent .code-block pre', { hasText: 'let a' }).waitFor()
  const first = page.locator('.said.by-agent .prose > p').first()
  await first.evaluate(element => element.setAttribute('data-mine', 'yes'))
  await page.locator('.task-head .is-completed').waitFor({ timeout: 60_000 })
  await sees(page, 'The end.')
  t.equal(await first.getAttribute('data-mine'), 'yes', 'the first paragraph is still the same')
  const seen = (await page.evaluate('[...seen]')) as string[]
  for (const tag of ['UL', 'OL', 'TABLE', 'PRE', 'STRONG']) t.ok(seen.includes(tag), tag)
  for (const tag of ['H3', 'HR', 'BLOCKQUOTE']) t.notOk(seen.includes(tag), `no ${tag} for a moment`)
  const gone = (await page.evaluate('gone')) as string[]
  // The head of a table is a line of text until the line below it has come.
  t.same(
    gone.filter(html => !html.startsWith('<p>| a')),
    [],
  )
  t.same(complaints, [])
})

t.test('nothing that somebody writes becomes more than text', { skip }, async t => {
  const lines = [
    '<script>alert(1)</script> <img src=x onerror="alert(2)"> <b>bold</b>',
    '[a](javascript:alert(3)) [b](JaVaScRiPt&#58;alert(4)) [c](data:text/html,<script>alert(5)</script>)',
    '[d](vbscript:x) [e](file:///etc/passwd) <javascript:alert(6)> [f]: javascript:alert(7)',
    '![g](https://elsewhere.example/h.png) ![i](javascript:alert(8)) ![j](/v1/tasks) ![k](//elsewhere.example/l)',
    '![x](data:image/svg+xml,<svg onload=alert(9)>) [m](/ui/tokens) [n](https://elsewhere.example/"onclick="alert(10))',
    '| <img src=x onerror=alert(11)> |\n|---|\n| [o](javascript:alert(12)) |',
    '```"><script>alert(13)</script>\n</pre><script>alert(14)</script>\n```',
    '```js\n// <img src=x onerror=alert(15)>\n`$` "</script><script>alert(16)</script>"\n```',
    '&lt;script&gt;alert(17)&lt;/script&gt;',
  ]
  const evil = lines.join('\n\n')
  const script = [{ reasoning: evil }, { message: evil }]
  const agent_config = { agent_id: 'script', script }
  const body = { user_message_content: evil, stream: false, agent_config }
  const { id } = (await read(api('POST', '/tasks', body))).body.result
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${id}`)
  await sees(page, /alert\(17\)/)
  for (const summary of await page.locator('details > summary').all()) await summary.click()
  await page.locator('.code-block .is-comment', { hasText: 'onerror' }).first().waitFor()
  const count = (selector: string) => page.locator(`#console ${selector}`).count()
  t.equal(await count(':is(script, iframe, object, b b, .prose b, svg[onload], [onerror], [onclick])'), 0)
  t.equal(await count('img'), 0)
  const addresses = (await page
    .locator('.prose a')
    .evaluateAll(links => links.map(link => link.getAttribute('href')))) as string[]
  t.same(
    addresses.filter(address => !address.startsWith('https://elsewhere.example/')),
    [],
    'there are links to web addresses only',
  )
  t.ok(addresses.length >= 3)
  t.same(complaints, [])
})

t.test('a text that nobody could draw in time is shown as it is', { skip }, async t => {
  const heavy = '|a|b|\n|-|-|\n'.repeat(12_000)
  const nested = `${'>'.repeat(20_000)} the end`
  const id = await say(api, heavy, [{ message: nested }, { message: 'Still here' }])
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${id}`)
  await sees(page, 'Still here')
  t.equal(await page.locator('.said.by-user .plain').count(), 1)
  await until(async () => (await page.getByText('the end').count()) > 0)
  t.same(complaints, [])
})
