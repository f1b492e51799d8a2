// Who may erase what, what is in the way, and what goes on meanwhile.
import path from 'node:path'
import t from 'tap'
import { apiOf, runReprise, serveHere } from '../support/server.ts'
import { type Erased, makeTask, nothingIn, ok, scripted, secret } from './support.ts'

const { api, url, dataDir, system } = await serveHere(t)
const tokenOf = async (body: object): Promise<ReturnType<typeof apiOf>> =>
  apiOf(url, (await ok<{ token: string }>(api('POST', '/auth/tokens', body))).token)
const erase = 'erase=true&reason=asked'

t.test('only admins and erasers erase, and an eraser does nothing else', async t => {
  const { id } = await makeTask(api, { user_message_content: secret, user_id: 'roles' })
  const annas = await tokenOf({ role: 'eraser', user_id: 'anna' })
  for (const role of ['user', 'auditor', 'subscriber']) {
    const own = await tokenOf({ role })
    t.equal((await own('DELETE', `/tasks/${id}?${erase}`)).status, 403, role)
    t.equal((await own('DELETE', `/env/session/s?${erase}`)).status, 403, role)
    t.equal(
      (await own('DELETE', `/tasks/${id}?erase=true`)).status,
      403,
      `${role}, who is not asked for a reason`,
    )
    t.equal((await own('DELETE', '/users/roles/data?reason=x')).status, 403, role)
    t.equal((await own('POST', '/audit/holds', { user_id: 'x', reason: 'x' })).status, 403, role)
    t.equal((await own('GET', '/audit/holds')).status, role === 'auditor' ? 200 : 403, role)
  }
  t.equal((await annas('DELETE', `/tasks/${id}?${erase}`)).status, 404, 'the task of another user')
  t.equal((await annas('DELETE', '/users/roles/data?reason=x')).status, 404)
  const eraser = await tokenOf({ role: 'eraser' })
  t.equal((await eraser('DELETE', `/tasks/${id}`)).status, 403, 'without erase')
  t.equal((await eraser('GET', `/tasks/${id}`)).status, 403)
  t.equal((await eraser('POST', '/audit/holds', { user_id: 'x', reason: 'x' })).status, 403)
  t.equal((await eraser('DELETE', `/tasks/${id}?${erase}`)).status, 200)
  t.equal((await api('GET', `/tasks/${id}`)).status, 404)
})

t.test('a reason is required', async t => {
  const { id } = await makeTask(api, { user_message_content: 'x' })
  for (const query of ['erase=true', 'erase=true&reason=', `erase=true&reason=${'x'.repeat(2001)}`]) {
    const refused = await api('DELETE', `/tasks/${id}?${query}`)
    t.equal(refused.status, 422)
    t.match(await refused.json(), { detail: [{ loc: ['query', 'reason'] }] })
  }
  t.equal((await api('DELETE', '/users/x/data')).status, 422)
  t.equal((await api('DELETE', `/tasks/none?${erase}`)).status, 404)
  t.equal((await api('DELETE', `/env/session/none?${erase}`)).status, 404)
  t.equal((await api('DELETE', '/users/nobody/data?reason=x')).status, 404)
})

t.test('the environment session that was copied for a fork goes with the fork', async t => {
  await ok(api('POST', '/env/create', { env_id: 'gridworld', session_id: 'copied', user_id: 'gil' }))
  const body = { session_id: 'copied', user_id: 'gil', client_id: 'echo', stream: false }
  const { result } = await ok<{ result: { id: string } }>(
    api('POST', '/tasks', { ...body, user_message_content: 'took no step' }),
  )
  const fork = await ok<{ session_id: string }>(api('POST', `/tasks/${result.id}/fork`, { at: 1 }))
  for (const session_id of ['copied', fork.session_id]) await ok(api('POST', '/env/close', { session_id }))
  t.match(await (await api('DELETE', `/env/session/copied?${erase}`)).json(), {
    data: { dependants: { env_sessions: [{ id: fork.session_id, why: 'its environment session' }] } },
  })
  const { erased } = await ok<Erased>(api('DELETE', `/env/session/copied?${erase}&cascade=true`))
  t.same(erased.env_sessions.toSorted(), ['copied', fork.session_id].toSorted())
  t.equal((await api('GET', `/env/session/${fork.session_id}`)).status, 404)
})

t.test('what has not ended is named', async t => {
  const paused = await makeTask(api, {
    ...scripted({ pause: 'wait' }),
    user_message_content: 'x',
    user_id: 'carl',
  })
  const refused = await api('DELETE', `/tasks/${paused.id}?${erase}`)
  t.equal(refused.status, 409)
  t.match(await refused.json(), { data: { unfinished: { tasks: [paused.id] } } })
  await ok(api('POST', '/env/create', { env_id: 'gridworld', session_id: 'maze', user_id: 'carl' }))
  t.match(await (await api('DELETE', '/users/carl/data?reason=x')).json(), {
    data: { unfinished: { tasks: [paused.id], env_sessions: ['maze'] } },
  })
  await ok(api('POST', `/tasks/${paused.id}/cancel`))
  await ok(api('POST', '/env/close', { session_id: 'maze' }))
  const { erased } = await ok<Erased>(api('DELETE', '/users/carl/data?reason=x'))
  t.same(erased, { tasks: [paused.id], env_sessions: ['maze'], cron_jobs: [] })
  t.equal((await api('GET', '/env/session/maze')).status, 404)
  const again = await api('POST', '/env/create', { env_id: 'gridworld', session_id: 'maze', user_id: 'carl' })
  t.equal(again.status, 409, 'the id stays taken')
})

t.test('a later turn that quotes is named, goes with cascade, and blocks while it works', async t => {
  const turn = (user_message_content: string, more: object = {}) =>
    makeTask(api, { session_id: 'talk', user_id: 'dora', user_message_content, ...more })
  const one = await turn(secret)
  const two = await turn('two')
  const refused = await api('DELETE', `/tasks/${one.id}?${erase}`)
  t.equal(refused.status, 409)
  t.match(await refused.json(), {
    data: {
      dependants: { tasks: [{ id: two.id, of: one.id, why: 'quotes it' }] },
      unfinished: { tasks: [] },
    },
  })
  const three = await turn('three', scripted({ pause: 'wait' }))
  t.match(await (await api('DELETE', `/tasks/${one.id}?${erase}&cascade=true`)).json(), {
    data: { unfinished: { tasks: [three.id] } },
  })
  await ok(api('POST', `/tasks/${three.id}/cancel`))
  const { erased } = await ok<Erased>(api('DELETE', `/tasks/${one.id}?${erase}&cascade=true`))
  t.same(erased.tasks.toSorted(), [one.id, two.id, three.id].toSorted())
})

t.test('a hold refuses, also for a whole session or user, until it is lifted', async t => {
  const { id } = await makeTask(api, { user_message_content: 'x', session_id: 'held', user_id: 'eve' })
  for (const subject of [{ task_id: id }, { session_id: 'held' }, { user_id: 'eve' }]) {
    const hold = await ok<{ hold_id: string }>(api('POST', '/audit/holds', { ...subject, reason: 'case' }))
    t.same(await ok(api('POST', '/audit/holds', { ...subject, reason: 'again' })), hold)
    t.match(await ok(api('GET', '/audit/holds')), { data: [hold] })
    const refused = await api('DELETE', `/tasks/${id}?${erase}`)
    t.equal(refused.status, 409)
    t.match(await refused.json(), { data: { holds: [{ hold_id: hold.hold_id, reason: 'case' }] } })
    await ok(api('DELETE', '/audit/holds', { ...subject, reason: 'closed' }))
    t.equal((await api('DELETE', '/audit/holds', { ...subject, reason: 'closed' })).status, 404)
  }
  const kept = await ok<{ hold_id: string }>(api('POST', '/audit/holds', { user_id: 'kept', reason: 'case' }))
  const forged = { hold_id: kept.hold_id, placed_at: 'never', by: 'nobody', unknown: 1 }
  for (const method of ['POST', 'DELETE'])
    t.same(
      Object.keys(
        await ok(api(method, '/audit/holds', { task_id: id, reason: 'case', ...forged })),
      ).toSorted(),
      ['by', 'hold_id', 'placed_at', 'reason', 'task_id'],
      'other fields of the body are ignored',
    )
  t.match(await ok(api('GET', '/audit/holds')), { data: [kept] }, 'a body cannot name another hold')
  await ok(api('DELETE', '/audit/holds', { user_id: 'kept', reason: 'closed' }))
  for (const body of [{ reason: 'x' }, { user_id: 'a', task_id: 'b', reason: 'x' }, { user_id: 'a' }])
    t.equal((await api('POST', '/audit/holds', body)).status, 422)
  t.equal((await api('DELETE', `/tasks/${id}?${erase}`)).status, 200)
  const trail = await ok<{ data: { type: string }[] }>(api('GET', '/audit/events?stream=holds'))
  t.same(
    trail.data.map(({ type }) => type),
    [
      ...[1, 2, 3].flatMap(() => ['HoldPlaced', 'HoldLifted']),
      ...['HoldPlaced', 'HoldPlaced', 'HoldLifted', 'HoldLifted'],
    ],
  )
})

t.test('a hold that is placed or lifted several times at once is placed or lifted once', async t => {
  const held = { user_id: 'often', reason: 'case' }
  const eight = [1, 2, 3, 4, 5, 6, 7, 8]
  const placed = await Promise.all(eight.map(() => ok<object>(api('POST', '/audit/holds', held))))
  t.match(await ok(api('GET', '/audit/holds')), { data: [placed[0]], has_more: false })
  for (const hold of placed) t.same(hold, placed[0])
  const lifted = await Promise.all(eight.map(() => api('DELETE', '/audit/holds', held)))
  t.same(lifted.map(({ status }) => status).toSorted(), [200, ...eight.slice(1).map(() => 404)])
})

t.test('a hold counts from the moment at which the log orders it, so no erasure comes between', async t => {
  const { holds } = system.erasures
  const asked = {
    principal: { id: 'admin', role: 'admin', userId: undefined, expiresAt: undefined },
    requestId: 'r',
  } as const
  const placing = holds.place(asked, { user_id: 'just', reason: 'case' })
  await new Promise(setImmediate)
  t.match(holds.on({ user_id: 'just' }), [{ reason: 'case' }], 'it is not stored yet')
  const placed = await placing
  t.same(holds.on({ user_id: 'just' }), [placed])
  await holds.lift(asked, { user_id: 'just', reason: 'closed' })
})

t.test('a hold on a user keeps also the deleted cron jobs of that user', async t => {
  const job = { name: 'j', every_seconds: 3600, task: { user_message_content: 'x', user_id: 'jobs' } }
  const { job_id } = await ok<{ job_id: string }>(api('POST', '/cron/jobs', job))
  await ok(api('DELETE', `/cron/jobs/${job_id}`))
  await ok(api('POST', '/audit/holds', { user_id: 'jobs', reason: 'case' }))
  t.equal((await api('DELETE', '/users/jobs/data?reason=asked')).status, 409)
  await ok(api('DELETE', '/audit/holds', { user_id: 'jobs', reason: 'closed' }))
  t.equal((await api('DELETE', '/users/jobs/data?reason=asked')).status, 200)
})

t.test('two users with one name of a session', async t => {
  const [fay, gus] = await Promise.all(
    ['fay', 'gus'].map(user_id => makeTask(api, { session_id: 'same', user_id, user_message_content: 'x' })),
  )
  t.match(await (await api('DELETE', `/env/session/same?${erase}`)).json(), {
    data: { users: ['fay', 'gus'] },
  })
  const { erased } = await ok<Erased>(api('DELETE', `/env/session/same?${erase}&user_id=fay`))
  t.same(erased.tasks, [fay?.id])
  t.equal((await api('GET', `/tasks/${gus?.id}`)).status, 200)
})

t.test('a long payload goes, while others work and a backup is made', async t => {
  const long = `${secret}-LONG `.repeat(60_000)
  const { id } = await makeTask(api, { user_message_content: long, user_id: 'hal' })
  let working = true
  const others = (async () => {
    for (let n = 0; working; n++) await makeTask(api, { user_message_content: `other ${n}` })
  })()
  const backup = runReprise(['backup', path.join(t.testdir(), 'copy.db')], { DATA_DIR: dataDir })
  const { not_erased } = await (async () => {
    for (;;) {
      const answer = await api('DELETE', `/tasks/${id}?${erase}`)
      if (answer.status === 200) return (await answer.json()) as Erased
      t.equal(answer.status, 503, await answer.text())
    }
  })()
  working = false
  await others
  const { code, stderr } = await backup
  t.equal(code, 0, stderr)
  t.match(not_erased[0], { what: 'backups' })
  nothingIn(t, dataDir, `${secret}-LONG`, 'no file')
  t.equal(system.erasures.counts().pending, 0)
  const verified = await runReprise(['verify'], { DATA_DIR: dataDir })
  t.equal(verified.code, 0, verified.stderr)
})

t.test('the command erases, and says what is in the way', async t => {
  const { id } = await makeTask(api, { user_message_content: secret, user_id: 'ida' })
  const env = { DATA_DIR: dataDir, ADMIN_TOKEN: 'test-admin-token' }
  const wrong = await runReprise(['erase', 'planet', 'x', '--reason', 'x'], env)
  t.match([wrong.code, wrong.stderr], [2, /erase a task, a session or a user/])
  const none = await runReprise(['erase', 'task', 'none', '--reason', 'x'], env)
  t.equal(none.code, 1)
  const done = await runReprise(['erase', 'task', id, '--reason', 'asked'], env)
  t.equal(done.code, 0, done.stderr)
  t.match(done.stdout, new RegExp(`erased 1 task, .*\n  task ${id}\n.*not erased:\n  backups: `, 's'))
  nothingIn(t, dataDir, secret, 'nothing of all that this file has erased')
  const replayed = await runReprise(['replay', '--all'], env)
  t.equal(replayed.code, 0, replayed.stdout + replayed.stderr)
})
