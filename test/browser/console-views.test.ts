// The views of the console beside the tasks, in a real browser: environments, conversations, cron jobs, webhooks, tokens,
// the log and the system.
import type { Page } from 'playwright-core'
import t from 'tap'
import { receive } from '../console/receiver.ts'
import { seedViews } from '../console/seed-views.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { read } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { faultsOf, goTo, openConsole, sees } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const { url, api } = await serveHere(t, { ALLOW_PRIVATE_URLS: '1', ALLOW_UNSANDBOXED_SHELL: '1' })
const receiver = await receive()
t.teardown(receiver.end)
if (!skip) await seedViews(api, receiver.address)

/** One page for all views: a view changes without a load, as it does when somebody follows a link. */
const shared = skip ? undefined : await openConsole(t, browser, `${url}/ui/nowhere`)
const visit = async (path: string) => {
  if (shared === undefined) throw new Error('the browser is gone')
  await goTo(shared.page, `/ui${path}`)
  return shared
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

t.test(
  'a session of an environment is created, stepped, looked at, closed and deleted',
  { skip },
  async t => {
    const { page, complaints } = await visit(`/env`)
    await button(page, 'Create a session').click()
    await page.getByLabel('Environment').selectOption('chess')
    await page.getByLabel('Name of the session, or nothing').fill('a-game')
    await button(page, 'Create a session').click()
    await page.getByRole('img', { name: /white king e1.*/ }).waitFor()
    t.equal(page.url(), `${url}/ui/env/a-game`)
    await page.getByLabel(/^move/).fill('e4')
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: /white pawn e4/ }).waitFor()
    await page.getByLabel('Tool').selectOption('legal_moves')
    await page.getByLabel(/^square/).fill('a2')
    await page.keyboard.press('Enter')
    await sees(page, /a3 \(a2a3\)/)
    await page.locator('h1').click() // a key moves through the steps when nobody writes
    for (const _ of ['to the first step', 'to the create']) await page.keyboard.press('ArrowLeft')
    await page.getByRole('img', { name: /white pawn e2/ }).waitFor()
    t.equal(page.url(), `${url}/ui/env/a-game?event=0`)
    await page.keyboard.press('l')
    await api('POST', '/env/step', { session_id: 'a-game', tool_name: 'move', tool_args: { move: 'Nf3' } })
    await page.getByRole('img', { name: /white knight f3/ }).waitFor() // it follows the present
    await sees(page, '3 so far')
    await api('POST', '/env/reset', { session_id: 'a-game' })
    await sees(page, '0 since the reset')
    await sees(page, '0 reward since the reset')
    await button(page, 'Close').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await button(page, 'Delete').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(`${url}/ui/env`)
    await sees(page, 'game-of-ann')
    t.equal(await page.getByText('a-game', { exact: true }).count(), 0)
    t.same(complaints, [])
  },
)

t.test('the head shows every link beside the longer states of a stream', { skip }, async t => {
  const { page } = await visit('/tasks/nope')
  await page.locator('.connection', { hasText: 'Not found' }).waitFor()
  for (const width of [1180, 1280, 1366]) {
    await page.setViewportSize({ width, height: 720 })
    const hidden = `[...document.querySelectorAll('.head nav, .who')].map(part => part.scrollWidth - part.clientWidth)`
    t.same(await page.evaluate(hidden), [0, 0], `${width} pixels`)
  }
  await page.setViewportSize({ width: 1280, height: 720 })
})

t.test('each kind of environment is drawn in its own way', { skip }, async t => {
  const { page, complaints } = await visit(`/env/maze?event=3`)
  await page.getByRole('img', { name: /Map: #######, #\.\.@A\.#/ }).waitFor()
  await visit(`/env/people?event=2`)
  await page.getByRole('cell', { name: 'name TEXT, age INTEGER' }).waitFor()
  await visit(`/env/shell`)
  await page.getByRole('group', { name: 'Terminal' }).getByText('42', { exact: true }).waitFor()
  await sees(page, 'notes.md')
  t.same(complaints, [])
})

t.test('a session is a conversation that can be continued', { skip }, async t => {
  const { page, complaints } = await visit(`/sessions`)
  await page.getByRole('link', { name: 'Thank you. And 391 / 17?' }).click()
  await sees(page, 'What is 17 * 23?')
  await sees(page, /The answer is 23/)
  const call = page.locator('.turn .tool').filter({ hasText: '391 / 17' })
  await call.locator('summary').click()
  await call.getByRole('heading', { name: 'Result' }).waitFor() // the call stands where it was made
  await page.getByLabel('Continue the conversation').getByRole('textbox').fill('And 20 + 22?')
  await page.keyboard.press('Enter')
  await sees(page, /The answer is 42/)
  t.same(complaints, [])
})

t.test('the earlier tasks of a session are read when somebody asks for them', { skip }, async t => {
  const say = async (text: string) => {
    const body = { user_message_content: text, stream: false, session_id: 'long', client_id: 'echo' }
    return (await read(api('POST', '/tasks', body))).body.result.id
  }
  for (let n = 1; n < 30; n++) await say(`Number ${n}!`)
  const newest = await say('Number 30!')
  const { page, complaints } = await visit(`/sessions/long`)
  await sees(page, 'Number 30!')
  t.equal(await page.getByText('Number 5!', { exact: true }).count(), 0)
  await button(page, 'Show earlier tasks').click()
  await page.getByText('Number 1!', { exact: true }).first().waitFor()
  t.equal(await page.locator('.turn').count(), 30)
  await button(page, 'Show earlier tasks').waitFor({ state: 'detached' })

  await visit(`/tasks/${newest}`)
  await button(page, 'Show earlier tasks of the session').click()
  await sees(page, 'Number 29!')
  t.equal(await page.locator('.conversation .turn').count(), 25)
  await button(page, 'Show earlier tasks of the session').click()
  await page.getByText('Number 1!', { exact: true }).first().waitFor()
  t.equal(await page.locator('.conversation .turn').count(), 29)
  t.equal(await button(page, 'Show earlier tasks of the session').count(), 0)
  t.same(complaints, [])
})

t.test('a group chat shows who says what, live, and hears what somebody says', { skip }, async t => {
  const script = [
    { message: 'It is slow.', delta_ms: 30 },
    { message: 'Still slow.', delta_ms: 30 },
  ]
  const speaker = { agent_id: 'script', script: [{ sleep_ms: 300 }, ...script] }
  const group = { order: 'round_robin', max_rounds: 500, agents: [{ name: 'ann', ...speaker }] }
  const agent_config = { agent_id: 'group', group }
  const begin = { user_message_content: '<img src=x onerror=alert(1)>', stream: false, background: true }
  const { body } = await read(api('POST', '/tasks', { ...begin, agent_config }))
  const { page, complaints } = await visit(`/chats/${body.result.id}`)
  await sees(page, '<img src=x onerror=alert(1)>')
  await sees(page, 'ann is thinking…')
  await sees(page, 'Still slow.')
  await page.getByRole('textbox').fill('Please come to an end')
  const turns = page.getByText('Still slow.')
  const before = await turns.count()
  await turns.nth(before).waitFor()
  t.equal(await page.getByRole('textbox').inputValue(), 'Please come to an end', 'the chat goes on meanwhile')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'What was said' }).getByText('Please come to an end').waitFor()
  await api('POST', `/tasks/${body.result.id}/cancel`)
  await sees(page, 'canceled')
  await page.getByRole('textbox').waitFor({ state: 'detached' })
  t.same(complaints, [])
})

t.test('a cron job is created, run, paused, resumed and deleted', { skip }, async t => {
  const { page, complaints } = await visit(`/cron?new=yes`)
  await page.getByLabel('Name').fill('Water the plants')
  await page.getByRole('textbox', { name: /^Pattern/ }).fill('0 25 * * *')
  await page.getByLabel('Message to the agent').fill('Water!')
  await button(page, 'Create a cron job').click()
  await sees(page, /This is no schedule/)
  t.equal(
    await page.getByRole('textbox', { name: /^Pattern/ }).getAttribute('aria-invalid'),
    'true',
    'the problem stands at its field',
  )
  await page.getByRole('textbox', { name: /^Pattern/ }).fill('0 5 * * *')
  await page.getByLabel('Time zone').fill('Asia/Tokyo')
  await button(page, 'Create a cron job').click()
  await page.getByRole('heading', { name: 'Water the plants' }).waitFor()
  const times = await page.getByRole('region', { name: 'Next runs' }).locator('time').all()
  const at = await Promise.all(times.map(time => time.getAttribute('datetime')))
  t.equal(at.length, 5)
  t.ok(
    at.every(time => time?.endsWith('T20:00:00.000Z')),
    `5 o'clock in Tokyo: ${at}`,
  )
  await button(page, 'Run now').click()
  await page.getByRole('cell', { name: 'by hand' }).waitFor()
  await button(page, 'Pause').click()
  await sees(page, /None: the job is paused/)
  await button(page, 'Resume').click()
  await button(page, 'Delete').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(`${url}/ui/cron`)
  t.same(complaints, [])
})

t.test('a cron job is changed, and what the server refuses stands at its field', { skip }, async t => {
  const task = { user_message_content: 'Water!', client_id: 'echo', user_id: 'ann' }
  const at = '2040-07-01T08:00:00Z'
  const create = { name: 'Once', at, timezone: 'Europe/Berlin', max_runs: 3, task }
  const { body } = await read(api('POST', '/cron/jobs', create))
  const { job_id } = body as unknown as { job_id: string }
  const { page, complaints } = await visit(`/cron/${job_id}`)
  const field = (name: string) => page.getByLabel(name, { exact: true })
  const stored = async () => (await read(api('GET', `/cron/jobs/${job_id}`))).body as object

  await page.getByRole('region', { name: 'Settings' }).getByText('echo').waitFor() // the client names the agent
  await button(page, 'Edit').click()
  t.equal(await field('Time').inputValue(), '2040-07-01T10:00', 'in its zone')
  await field('Time zone').fill('Mars/Olympus')
  await field('Name').fill('Once, later')
  await page.keyboard.press('Enter')
  await sees(page, /no time zone/)
  t.equal(await field('Time zone').getAttribute('aria-invalid'), 'true')
  t.equal(await page.locator('form > .problem').count(), 0, 'and nowhere else')
  t.match(await stored(), { name: 'Once', timezone: 'Europe/Berlin' })
  await field('Time zone').fill('America/New_York')
  await field('Most runs').fill('')
  await field('Message to the agent').fill('Water them all!')
  await button(page, 'Save').click()
  await page.getByRole('heading', { name: 'Once, later' }).waitFor()
  t.equal(await page.locator('form').count(), 0, 'the form closes')
  const changed = await stored()
  const own = { user_message_content: 'Water them all!', client_id: 'echo', user_id: 'ann' }
  t.match(changed, { at: '2040-07-01T14:00:00.000Z', timezone: 'America/New_York', task: own })
  t.notOk('max_runs' in changed)

  await button(page, 'Edit').click()
  await page.getByRole('combobox', { name: /^When/ }).selectOption('Again and again')
  await field('Seconds between two runs').fill('900')
  await button(page, 'Save').click()
  await sees(page, 'every 15 min')
  t.same(await faultsOf(page), [])
  t.same(complaints, [])
})

t.test('the task of a job with secret values is left alone', { skip }, async t => {
  const task = { user_message_content: 'Water!', client_id: 'echo', env: { KEY: 'secret' } }
  const { body } = await read(api('POST', '/cron/jobs', { name: 'Secret', every_seconds: 900, task }))
  const { job_id } = body as unknown as { job_id: string }
  const { page } = await visit(`/cron/${job_id}?edit=yes`)
  await sees(page, /The task has secret values/)
  await page.getByLabel('Seconds between two runs').fill('1800')
  await button(page, 'Save').click()
  await sees(page, 'every 30 min')
  const job = (await read(api('GET', `/cron/jobs/${job_id}`))).body
  t.match(job, { every_seconds: 1800, task: { env: { KEY: '***' } } })
})

t.test('a webhook is changed, and its hidden headers stay', { skip }, async t => {
  const create = { url: `${receiver.address}/edit`, headers: { 'X-Team': 'blue' }, types: ['TaskCreated'] }
  const { body } = await read(api('POST', '/webhooks', create))
  const { id } = body as unknown as { id: string }
  const { page, complaints } = await visit(`/webhooks/${id}?edit=yes`)
  const stored = async () => (await read(api('GET', `/webhooks/${id}`))).body as object
  const headers = page.getByLabel('Headers to send, one in each line')
  t.equal(await headers.inputValue(), 'X-Team: ***')
  await page.getByLabel('URL of the receiver').fill('ftp://receiver.example')
  await button(page, 'Save').click()
  await page.locator('.field').filter({ hasText: 'URL of the receiver' }).getByRole('alert').waitFor()
  await page.getByLabel('URL of the receiver').fill(`${receiver.address}/edited`)
  await page.getByLabel('TaskCreated').uncheck()
  await page.getByLabel('Session, or nothing').fill('garden')
  await headers.fill('X-Team: ***\nX-Other: 1')
  await button(page, 'Save').click()
  await sees(page, /Write the value of X-Team again/)
  await headers.fill('X-Team: ***')
  await button(page, 'Save').click()
  await page.getByRole('heading', { name: `${receiver.address}/edited` }).waitFor()
  t.match(await stored(), { session_id: 'garden', types: null, headers: { 'X-Team': '***' } })
  await button(page, 'Edit').click()
  await headers.fill('Webhook-Id: 1')
  await button(page, 'Save').click()
  await sees(page, /Webhook-Id: The service sets this header itself/)
  await headers.fill('X-Other: 1')
  await page.getByLabel('Session, or nothing').fill('')
  await button(page, 'Save').click()
  await page.locator('form').waitFor({ state: 'detached' })
  t.match(await stored(), { session_id: null, headers: { 'X-Other': '***' } })
  t.same(complaints, [])
})

t.test('a webhook is made, tested, switched off and on, and sends an event again', { skip }, async t => {
  const { page, complaints } = await visit(`/webhooks?new=yes`)
  await page.getByLabel('URL of the receiver').fill(`${receiver.address}/own`)
  await page.getByLabel('TaskCreated').check()
  await button(page, 'Make a webhook').click()
  await page
    .getByRole('dialog')
    .getByText(/^whsec_/)
    .waitFor()
  await button(page, 'I have it').click()
  await page.getByRole('heading', { name: `${receiver.address}/own` }).waitFor()
  await page.getByText(/whsec_/).waitFor({ state: 'detached' }) // it is shown once
  await button(page, 'Send a test').click()
  await sees(page, /Delivered: the receiver answered 204/)
  await read(api('POST', '/tasks', { user_message_content: 'sent', stream: false, client_id: 'echo' }))
  await button(page, 'Send again').first().click()
  await sees(page, 'TaskCreated')
  await button(page, 'Switch off').click()
  await sees(page, 'disabled')
  await button(page, 'Switch on').click()
  await button(page, 'Switch off').waitFor()
  await button(page, 'Replace the secret').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click()
  await page
    .getByRole('dialog')
    .getByText(/^whsec_/)
    .waitFor()
  t.same(complaints, [])
})

t.test('a token is made, shown once, used and revoked', { skip }, async t => {
  const { page, complaints } = await visit(`/tokens?new=yes`)
  await page.getByLabel('Role').selectOption('auditor')
  await page.getByLabel(/^Name/).fill('The laptop of Dora')
  await page.getByLabel(/^User/).fill('dora')
  await button(page, 'Make a token').click()
  const token = await page.getByRole('dialog').locator('pre').textContent()
  const own = { authorization: `Bearer ${token}` }
  t.equal((await api('GET', '/tasks', undefined, own)).status, 200)
  await button(page, 'I have it').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const row = page.getByRole('row').filter({ hasText: 'dora' })
  await page.getByText(token ?? '').waitFor({ state: 'detached' })
  await row.getByText('The laptop of Dora').waitFor()
  await row
    .getByText(/^(now|\d+ s ago)$/)
    .first()
    .waitFor()
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  t.equal((await api('GET', '/tasks', undefined, own)).status, 401)
  t.same(complaints, [])
})

t.test('the browser proves that the log only grew, and says when it did not', { skip }, async t => {
  const kept = (await read(api('GET', '/audit/checkpoint'))).text
  await read(api('POST', '/tasks', { user_message_content: 'One more', stream: false, client_id: 'echo' }))
  const { page, complaints } = await visit(`/audit`)
  await sees(page, 'verified here')
  await button(page, 'Prove it').click()
  await sees(page, /Proven here, with \d+ hashes/)
  await page.getByLabel('Or a checkpoint that you kept').fill(kept)
  await button(page, 'Prove it').click()
  await sees(page, new RegExp(`the first ${kept.split('\n')[1]} events`))
  const forged = kept.replace(/^(\d+)$/m, size => String(Number(size) - 1))
  await page.getByLabel('Or a checkpoint that you kept').fill(forged)
  await button(page, 'Prove it').click()
  await sees(page, /Not proven: the signature of .+ does not fit/)
  await button(page, 'Replay all').click()
  await sees(page, /every replay gives what the server answers/)
  await page.getByRole('searchbox').fill('env-maze')
  await page.getByRole('link', { name: 'env-maze' }).click()
  await page.locator('summary').filter({ hasText: 'EnvSessionCreated' }).click()
  await page.getByRole('link', { name: /prove it/ }).click()
  await sees(page, /Proven: the event is in the log/)
  t.same(complaints, [])
})

t.test('the state of the server is live, and roles decide what is offered', { skip }, async t => {
  const { page, complaints } = await visit('/system?metric=reprise_turns')
  await page.getByRole('region', { name: 'Server' }).getByText('ready', { exact: true }).waitFor()
  await page.getByRole('cell', { name: 'reprise_turns_total' }).waitFor()
  const tokenOf = async (role: string) =>
    (await read(api('POST', '/auth/tokens', { role, user_id: 'ann' }))).body as unknown as { token: string }
  const auditor = await openConsole(t, browser, `${url}/ui/env/maze`, await tokenOf('auditor'))
  await auditor.page.getByRole('img', { name: /Map/ }).waitFor()
  for (const name of ['Close', 'Reset', 'Take the step']) t.equal(await button(auditor.page, name).count(), 0)
  t.equal(await auditor.page.getByRole('link', { name: 'System' }).count(), 1)
  const user = await openConsole(t, browser, `${url}/ui/tokens`, await tokenOf('user'))
  await sees(user.page, /a token with the role user does not allow this/)
  for (const name of ['Tokens', 'System'])
    t.equal(await user.page.getByRole('link', { name, exact: true }).count(), 0)
  t.same([...complaints, ...auditor.complaints, ...user.complaints], [])
})

t.test(
  'lists show the newest first, jobs their last result, and rows their buttons when wanted',
  { skip },
  async t => {
    const { page, complaints } = await visit('/audit')
    await page.getByRole('link', { name: 'env-maze', exact: true }).waitFor()
    const positions = (await page.locator('.rows tbody tr td:nth-child(5)').allTextContents()).map(text =>
      Number(text.replaceAll('\u202f', '').replaceAll(' ', '')),
    )
    t.ok(positions.length > 10)
    t.same(
      positions,
      positions.toSorted((a, b) => b - a),
    )

    const script = [{ fail: { code: -32000, message: 'no water left' } }]
    const task = { user_message_content: 'Water!', agent_config: { agent_id: 'script', script } }
    const made = await read(api('POST', '/cron/jobs', { name: 'Dry', schedule: '@yearly', task }))
    const { job_id } = made.body as unknown as { job_id: string }
    await visit('/cron')
    const job = page.getByRole('row').filter({ hasText: 'Dry' })
    await job.getByRole('cell', { name: '–', exact: true }).waitFor()
    await read(api('POST', `/cron/jobs/${job_id}/trigger`))
    await job.getByRole('link', { name: 'failed' }).waitFor()
    t.equal(await job.locator('.last-run').getAttribute('title'), 'no water left')

    const hooks = (await read(api('GET', '/webhooks'))).body as unknown as {
      data: { id: string; url: string }[]
    }
    await visit(`/webhooks/${hooks.data.find(({ url }) => url === receiver.address)?.id}`)
    const again = button(page, 'Send again').first()
    const opacity = () =>
      again.evaluate(each => each.ownerDocument.defaultView?.getComputedStyle(each).opacity)
    await page.locator('h1').hover()
    t.equal(await opacity(), '0')
    await page.locator('.rows tbody tr').first().hover()
    t.equal(await opacity(), '1', 'pointed at')
    await page.locator('h1').hover()
    await again.focus()
    t.equal(await opacity(), '1', 'or reached by keys')
    t.same(complaints, [])
  },
)
