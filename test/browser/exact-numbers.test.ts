// Numbers that JavaScript would round keep their digits in the console: those that it shows, and those that people give.
import t from 'tap'
import { exactNumber } from '../../src/contract/json/exact-number.ts'
import { tasksOf, tool } from '../http/agent-tasks.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { serveHere } from '../support/server.ts'
import { openConsole, sees } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const { url, api } = await serveHere(t)
const tasks = tasksOf(api)

const shown = '9007199254740993'
const given = '9007199254740995'
const returns = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }

t.test('a call, the answer that somebody gives to it, and the history', { skip }, async t => {
  const task = await tasks.play([{ tool: 'find', arguments: { id: exactNumber(shown), schema: returns } }], {
    client_tools: [tool('find')],
  })
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${task.id}`)
  await sees(page, shown)
  await page.getByLabel('id').first().fill(given)
  await page.getByRole('button', { name: 'Answer', exact: true }).click()
  await tasks.becomes(task.id, 'completed')
  const frames = await (await api('GET', `/tasks/${task.id}/events`)).text()
  t.ok(frames.includes(given), 'the digits arrived')
  await sees(page, given)
  t.same(complaints, [])
})
