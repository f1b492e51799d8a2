// Environment sessions, chats, cron jobs and webhooks that show what their views show.
import { read } from '../support/http.ts'
import type { Api } from '../support/server.ts'

/** Creates a session and takes the steps. */
const play = async (
  api: Api,
  create: object & { session_id: string },
  steps: readonly [string, object][],
) => {
  await read(api('POST', '/env/create', { user_id: 'ann', ...create }))
  for (const [tool_name, tool_args] of steps)
    await read(api('POST', '/env/step', { session_id: create.session_id, tool_name, tool_args }))
}

const map = '#######\n#@a.A.#\n#..##G#\n#######'

/** Creates what the views show, and resolves to the views. */
export const seedViews = async (api: Api): Promise<{ name: string; path: string }[]> => {
  await play(api, { session_id: 'game-of-ann', env_class_path: 'chess' } as never, [
    ['move', { move: 'e4' }],
    ['move', { move: 'Nf3' }],
    ['move', { move: 'Ke5' }],
    ['legal_moves', { square: 'f1' }],
  ])
  await play(api, { session_id: 'maze', env_class_path: 'gridworld', env_init_kwargs: { map } } as never, [
    ['move', { direction: 'east' }],
    ['pick_up', {}],
    ['move', { direction: 'east' }],
    ['move', { direction: 'east' }],
    ['move', { direction: 'east' }],
    ['move', { direction: 'south' }],
  ])
  const csv = { people: 'name,age\nAnn,41\nBob,38\nCy,52\n' }
  await play(api, { session_id: 'people', env_class_path: 'sql', env_init_kwargs: { csv } } as never, [
    ['execute', { sql: "INSERT INTO people VALUES ('Dee', 29)" }],
    ['query', { sql: 'SELECT name, age FROM people WHERE age > 30 ORDER BY age' }],
  ])
  const files = { 'sum.sh': 'echo $(($1 + $2))\n', 'notes.md': '# Notes\n' }
  await play(api, { session_id: 'shell', env_class_path: 'workspace', env_init_kwargs: { files } } as never, [
    ['shell', { command: 'bash sum.sh 20 22' }],
    ['read_file', { path: 'notes.md' }],
    ['shell', { command: 'ls -l && cat missing.txt' }],
  ])
  await read(api('POST', '/env/close', { session_id: 'people' }))
  return [
    { name: 'envs', path: '/ui/env' },
    { name: 'env-new', path: '/ui/env?new=yes' },
    { name: 'chess', path: '/ui/env/game-of-ann' },
    { name: 'grid', path: '/ui/env/maze?event=3' },
    { name: 'sql', path: '/ui/env/people?event=2' },
    { name: 'workspace', path: '/ui/env/shell' },
  ]
}
