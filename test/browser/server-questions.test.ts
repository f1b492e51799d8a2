// What an MCP server asks while a task calls its tool, in the console: a person fills in the form, or declines.
import t from 'tap'
import { askingPlace, bodyFor, deedsIn, taskIn, whenIt } from '../doors/mcp-client/asked.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { serveHere } from '../support/server.ts'
import { openConsole, sees } from './console-page.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false
const place = await askingPlace(t, true)
const { url, api } = await serveHere(t, place.env)

t.test('a server asks in the console, is answered, declined, or names a page', { skip }, async t => {
  const deeds = deedsIn(t)
  const asked = async (tool: string): Promise<string> => {
    const { id } = await taskIn(
      await api('POST', '/tasks', bodyFor(place.server, tool, { file: deeds.file })),
    )
    await whenIt(api, id, 'input-required')
    return id
  }
  const first = await asked('book')
  const { page, complaints } = await openConsole(t, browser, `${url}/ui/tasks/${first}`)
  const form = page.getByRole('form', { name: 'Answer elicitation' })
  await sees(page, 'Asked by mcp:s')
  await form.getByLabel('Seats').fill('3')
  await form.getByRole('button', { name: 'Answer' }).click()
  await whenIt(api, first, 'completed')
  t.same(deeds.answers(), [{ seats: { action: 'accept', content: { seats: 3, window: true } } }])

  const second = await asked('book')
  await page.goto(`${url}/ui/tasks/${second}`)
  await form.getByRole('button', { name: 'Decline' }).click()
  await whenIt(api, second, 'completed')
  t.same(deeds.answers().at(-1), { seats: { action: 'decline' } })
  await sees(page, /answered by/)

  await page.goto(`${url}/ui/tasks/${await asked('visit')}`)
  const link = form.getByRole('link')
  t.equal(await link.getAttribute('href'), 'https://pay.example/7')
  t.equal(await link.getAttribute('rel'), 'noopener noreferrer')
  t.same(complaints, [])
})
