// The image and the systemd unit start the server with the settings of `npm start`, which decide how much memory it uses.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { nodeOptions, startVariables } from '../../bench/support/npm-start.ts'

const root = path.resolve(import.meta.dirname, '../..')

t.test('npm start sets how much memory is kept for young objects and for freed memory', async t => {
  t.match(nodeOptions, [/^--max-semi-space-size=\d+$/])
  t.same(Object.keys(startVariables), ['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_'])
})

for (const file of ['Dockerfile', 'deploy/reprise.service']) {
  t.test(`${file} sets the same`, async t => {
    const text = readFileSync(path.join(root, file), 'utf8')
    for (const option of nodeOptions) t.match(text, `node ${option} `)
    for (const [name, value] of Object.entries(startVariables)) t.match(text, `${name}=${value}`)
  })
}
