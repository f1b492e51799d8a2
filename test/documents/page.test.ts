// The page at /docs: whole, quick, and on terms with no other server; tried in a browser where there is one.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import t from 'tap'
import { operations } from '../../src/documents/operations.ts'
import { read } from '../support/http.ts'
import { adminToken, serveHere, spawnServer } from '../support/server.ts'

const { url, lines } = await serveHere(t)
const get = (path: string) => read(fetch(url + path))

t.test('it needs no token, and shows every operation with a form to try it', async t => {
  const { status, headers, text } = await get('/docs')
  t.equal(status, 200)
  t.match(headers.get('content-type'), 'text/html')
  t.match(headers.get('content-security-policy'), /^default-src 'self'/)
  for (const { id, method, path } of operations) {
    t.match(text, `id="${id}"`)
    t.match(text, `data-method="${method}" data-path="${path}"`)
  }
  const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target)
  t.ok(targets.length > 100)
  for (const target of new Set(targets)) t.ok(text.includes(` id="${target}"`), `${target} is there`)
})

t.test('nothing on it names another server', async t => {
  const page = await get('/docs')
  const files = [...page.text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, path]) => `/${path}`)
  t.ok(files.length >= 5)
  for (const path of files) {
    const { status, headers, text } = await get(path)
    t.equal(status, 200, path)
    t.match(headers.get('x-content-type-options'), 'nosniff')
    if (path.startsWith('/docs/') && !path.endsWith('.svg')) t.notMatch(text, /https?:\/\//, path)
  }
  t.notMatch(page.text, /(?:src|href)="(?:https?:)?\/\//)
  t.notMatch(page.text, /<script(?! type="module" src="docs\/page.js"><\/script>)|<style| style=| on\w+=/)
})

t.test('what is bundled serves the same', async t => {
  const bundled = await spawnServer(t, t.testdir())
  for (const path of [
    '/docs',
    '/docs/page.js',
    '/docs/page.css',
    '/docs/icon.svg',
    '/openapi.json',
    '/asyncapi.json',
  ]) {
    const { status, headers, text } = await read(fetch(bundled.url + path))
    const here = await get(path)
    t.equal(status, 200, path)
    t.equal(headers.get('content-type'), here.headers.get('content-type'))
    t.ok(text === here.text, path)
  }
})

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)
const skip = executablePath === undefined ? 'there is no Chromium here' : false

t.test('in a browser', { skip }, async t => {
  let browser: Browser | undefined
  t.teardown(() => browser?.close())
  browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
  const page = await browser.newPage()
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', request => requests.push(request.url()))
  page.on('pageerror', error => complaints.push(error.message))
  page.on('console', message => void (message.type() === 'error' && complaints.push(message.text())))
  await page.goto(`${url}/docs#createTask`)
  const form = page.locator('#createTask form')
  const send = async (inside = form) => {
    await inside.getByRole('button', { name: 'Send' }).click()
    await inside.locator('.status', { hasText: ' ms' }).waitFor()
    return {
      status: await inside.locator('.status').innerText(),
      answer: await inside.locator('.answer').innerText(),
    }
  }

  await t.test('an address leads to its operation', async t => {
    t.equal(await form.isVisible(), true)
    t.equal(await page.locator('#listTasks form').isVisible(), false)
  })

  await t.test('a request without a token shows what is missing', async t => {
    const { status, answer } = await send()
    t.match(status, /^401 application\/json/)
    t.match(answer, '"code": -32030')
    t.match(complaints.splice(0), [/401/], 'the browser says so, too')
  })

  await t.test('an example is sent, and its stream shown', async t => {
    await page.locator('#token').fill(adminToken)
    await form.locator('.examples').selectOption({ label: 'The agent `echo`, with a stream of frames' })
    const { status, answer } = await send()
    t.match(status, /^200 text\/event-stream/)
    t.match(answer, /event: task\.created[\s\S]*event: task\.completed/)
    const curl = await form.locator('.sample').innerText()
    t.match(curl, /^curl -N -X POST '.*\/v1\/tasks'/)
    t.match(curl, '"stream": true')
    t.notMatch(curl, adminToken)
  })

  await t.test('what is filled in becomes the path, the query and the headers', async t => {
    await page.goto(`${url}/docs#getTaskEvents`)
    const events = page.locator('#getTaskEvents form')
    await events.locator('[name="path:task_id"]').fill('a b/c')
    await events.locator('[name="query:limit"]').fill('2')
    await events.locator('[name="header:Last-Event-ID"]').fill('1')
    t.match((await send(events)).status, /^404/)
    t.equal(requests.at(-1), `${url}/v1/tasks/a%20b%2Fc/events?limit=2`)
    t.match(await events.locator('.sample').innerText(), "-H 'Last-Event-ID: 1'")
    complaints.splice(0)
  })

  await t.test('the sample in each language is a program that gets the answer', async t => {
    await page.goto(`${url}/docs#createTask`)
    await form.locator('.examples').selectOption({ label: 'The agent `echo`, with a stream of frames' })
    const env = { PATH: process.env.PATH, TOKEN: adminToken }
    const runs = { javascript: ['node', '--input-type=module', '-e'], python: ['python3', '-c'] } as const
    for (const [language, [program, ...args]] of Object.entries(runs)) {
      await page.locator('#language').selectOption(language)
      const sample = (await form.locator('.sample').textContent()) ?? ''
      t.notMatch(sample, adminToken)
      const { stdout } = await promisify(execFile)(program, [...args, sample], { env })
      t.match(stdout, /event: task\.created[\s\S]*event: task\.completed/, language)
    }
    await page.reload()
    t.equal(await page.locator('#language').inputValue(), 'python', 'the choice is kept')
    await page.locator('#language').selectOption('curl')
    await page.locator('#token').fill(adminToken)
  })

  await t.test('a search leaves what has all of its words', async t => {
    await page.locator('#search').fill('cron runs')
    t.ok(await page.locator('#listCronRuns').isVisible())
    t.notOk(await page.locator('#createTicket').isVisible())
    t.match(await page.locator('#found').textContent(), /^\d+ found$/)
    await page.locator('#search').fill('')
    t.ok(await page.locator('#createTask').isVisible())
  })

  await t.test('a stream without an end can be stopped', async t => {
    await page.goto(`${url}/docs#followEvents`)
    const events = page.locator('#followEvents form')
    await events.getByRole('button', { name: 'Send' }).click()
    await events.locator('.answer', { hasText: 'event: Position' }).waitFor()
    await events.getByRole('button', { name: 'Stop' }).click()
    await events.locator('.status', { hasText: 'stopped' }).waitFor()
    t.equal(await events.getByRole('button', { name: 'Stop' }).isVisible(), false)
  })

  await t.test('no other server was asked for anything', async t => {
    t.ok(requests.length > 6)
    t.same(
      requests.filter(each => !each.startsWith(`${url}/`)),
      [],
    )
    t.same(complaints, [])
  })
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
