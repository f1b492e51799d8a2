// What belongs to another user: asked for by every name it may have, and written over; and the disk, which all share.
import { type Attack, playing } from './hand.ts'

export const othersFiles: Attack = hand => {
  const { user, folder } = hand.victim
  const dirs = [
    '.',
    '..',
    '../..',
    `../${user}`,
    `../${user}/${folder}`,
    folder,
    `./${folder}/../../${user}`,
    '/',
    '/etc',
  ]
  const files = [
    'secret.txt',
    `${folder}/secret.txt`,
    `${user}/${folder}/secret.txt`,
    `../${user}/${folder}/secret.txt`,
  ]
  const wishes = dirs.flatMap(workspace_dir =>
    files.map(path =>
      playing(
        [
          { tool: 'read_file', arguments: { path } },
          { tool: 'list_files', arguments: { path: '.' } },
          { tool: 'search_files', arguments: { pattern: 'victims-secret' } },
          { tool: 'write_file', arguments: { path, content: 'overwritten' } },
        ],
        { workspace_dir },
      ),
    ),
  )
  const places = dirs.map(dir => ({ ...playing([{ message: 'x' }]), rollout_save_dir: dir, log_dir: dir }))
  const all = [...wishes, ...places]
  let n = 0
  return hand.workers(4, 50, () =>
    hand.post("the other user's files", '/v1/tasks', all[n++ % all.length] ?? {}),
  )
}

export const othersThings: Attack = hand => {
  const { task, session, user } = hand.victim
  const step = { session_id: session, tool_name: 'add', tool_args: { by: 1 } }
  const calls: [method: string, path: string, body?: object][] = [
    ['GET', `/v1/tasks/${task}`],
    ['GET', `/v1/tasks/${task}/events`],
    ['GET', `/v1/tasks/${task}/rollouts`],
    ['DELETE', `/v1/tasks/${task}`],
    ['POST', `/v1/tasks/${task}/cancel`, {}],
    ['POST', `/v1/tasks/${task}/reward`, { value: -1 }],
    ['POST', '/v1/tasks', { ...playing([{ message: 'x' }]), user_id: user }],
    ['POST', '/v1/tasks', { ...playing([{ message: 'x' }]), task_id: task }],
    ['POST', '/v1/tasks', { ...playing([{ tool: 'add', arguments: { by: 1 } }]), session_id: session }],
    ['GET', `/v1/tasks?user_id=${user}`],
    ['GET', `/v1/env/session/${session}`],
    ['POST', '/v1/env/step', step],
    ['POST', '/v1/env/reset', { session_id: session }],
    ['POST', '/v1/env/observation', { session_id: session }],
    ['POST', '/v1/env/create', { session_id: session, env_class_path: 'gridworld' }],
    ['POST', '/v1/env/close', { session_id: session }],
    ['DELETE', `/v1/env/session/${session}`],
    ['POST', '/v1/env/sessions/cleanup?inactive_seconds=0'],
    ['GET', `/v1/env/sessions?user_id=${user}`],
    ['GET', `/v1/audit/events?stream=task-${task}`],
    ['GET', `/v1/audit/events?stream=env-${session}`],
    ['GET', '/v1/auth/tokens'],
    ['POST', '/v1/auth/tokens', { role: 'admin' }],
    ['GET', '/metrics'],
  ]
  let n = 0
  return hand.workers(2, 100, () => {
    const [method, path, body] = calls[n++ % calls.length] ?? ['GET', '/healthz']
    return hand.call("the other user's things", method, path, body && JSON.stringify(body))
  })
}

/** So much is written at most, whatever the server allows. */
const maxBytes = 2 ** 31
export const fullDisk: Attack = hand => {
  const content = 'x'.repeat(4 << 20)
  let written = 0
  return hand.workers(2, 200, async () => {
    if (written > maxBytes) return
    const path = `f${written}.txt`
    written += content.length
    const steps = [{ tool: 'write_file', arguments: { path, content } }]
    await hand.post(
      'files of 4 MiB',
      '/v1/tasks',
      playing(steps, { workspace_dir: 'full', rollout_save_dir: 'saved' }),
    )
  })
}
