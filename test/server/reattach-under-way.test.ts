import t from 'tap'
import { serveHere } from '../support/server.ts'
import { framesOf, play } from './wire.ts'

t.test('the cursor of the newest frame is good at any moment, also while the next one is stored', async t => {
  const { api } = await serveHere(t, { DRAIN_SECONDS: '0' })
  const message = 'word '.repeat(40)
  const { id } = await play(api, [{ message, delta_ms: 5 }, { sleep_ms: 60_000 }])
  const refused: string[] = []
  let cursors = 0
  for (const end = performance.now() + 500; performance.now() < end || cursors < 20; cursors++) {
    const newest = (await framesOf(api, id)).at(-1)?.sequence_number
    const page = await api('GET', `/tasks/${id}/events?after=${newest}`)
    if (page.status !== 200) refused.push(`page after ${newest}: ${page.status}`)
    await page.text()
    const stream = await api('GET', `/tasks/${id}/events`, undefined, {
      accept: 'text/event-stream',
      'last-event-id': `${newest}`,
    })
    if (stream.status !== 200) refused.push(`stream after ${newest}: ${stream.status}`)
    await stream.body?.cancel()
  }
  t.ok(cursors > 0)
  t.same(refused, [])
})
