// A fork that is under way while its task is erased: it has read the past already, and must not store it afterwards.
import t from 'tap'
import { read } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { filesWith, makeTask, scripted, secret } from './support.ts'

const { api, dataDir } = await serveHere(t)
/** To read such a past takes longer than to erase its task. */
const text = `${secret} ${'x'.repeat(4_000_000)}`

t.test('what a fork had read when its task was erased is nowhere afterwards', async t => {
  const { id } = await makeTask(api, { user_message_content: text, ...scripted({ message: text }) })
  const fork = read(api('POST', `/tasks/${id}/fork`, { at: 1, task_id: 'the-fork' }))
  const erase = () => read(api('DELETE', `/tasks/${id}?erase=true&cascade=true&reason=asked`))
  let erased = await erase()
  const { status } = await fork
  t.comment(`fork ${status}, erasure ${erased.status}`)
  if (erased.status === 409) erased = await erase()
  t.equal(erased.status, 200, erased.text)
  t.same(filesWith(dataDir, secret), [])
  t.equal((await api('GET', '/tasks/the-fork')).status, 404)
})
