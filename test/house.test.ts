// What keeps the sources easy to find one's way in: no long files, and three loose files in src/.
import { readdirSync, readFileSync } from 'node:fs'
import tap from 'tap'

const longestFile = 400

const files = ['actors', 'console', 'projections', 'src'].flatMap(root =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => `${root}/${name}`),
)
const linesOf = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length

tap.test('only the composition root and the variables are loose in src', t => {
  const loose = readdirSync('src', { withFileTypes: true }).filter(entry => entry.isFile())
  t.same(loose.map(entry => entry.name).sort(), ['config.ts', 'main.ts', 'system.ts'])
  t.end()
})

tap.test('no file is too long to read as one', t => {
  t.ok(files.length > 400)
  t.same(
    files.filter(file => linesOf(file) > longestFile),
    [],
  )
  t.end()
})
