// What the documents name is there.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { reservedMetadata } from '../src/contract/wire.ts'

const root = path.resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

const documents = [
  'README.md',
  'docs/architecture.md',
  'docs/performance.md',
  'docs/operations.md',
  'docs/security.md',
  'docs/subscribing.md',
  'SECURITY.md',
]
for (const document of documents) {
  t.test(`every file that ${document} names exists`, async t => {
    const named = [
      ...read(document).matchAll(/(?:`|\]\()((?:[\w-]+\/)*[\w.-]+\.(?:ts|mjs|md))(?:`|\))/g),
    ].map(([, file]) => file ?? '')
    const folders = ['', 'actors', 'actors/task', 'src', 'docs']
    for (const file of named) {
      t.ok(
        folders.some(folder => existsSync(path.join(root, folder, file))),
        file,
      )
    }
  })
}

t.test('the README tells the default of every variable that the configuration reads', async t => {
  const readme = read('README.md')
  const source = read('src/config.ts')
  const variables = new Set(
    [...source.matchAll(/env\.([A-Z_]+)|(?:wholeNumber|atLeastOne)\(env, '([A-Z_]+)'/g)].map(
      ([, a, b]) => a ?? b ?? '',
    ),
  )
  t.ok(variables.size >= 8, [...variables].join(' '))
  for (const variable of variables) t.match(readme, `\`${variable}\``, variable)
})

t.test('every dependency has its line, with its version', async t => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
    string,
    Record<string, string>
  >
  const lines = read('docs/dependencies.md')
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    t.match(version, /^\d+\.\d+\.\d+$/, `${name} is pinned`)
    if (!name.startsWith('@types/')) t.match(lines, `${name} ${version}`)
  }
})

t.test('every key that we write in metadata is listed', async t => {
  const keys = [...read('docs/decisions/21-what-we-write-in-metadata.md').matchAll(/^\| `(\w+)` \|/gm)]
  t.same(keys.map(([, key]) => key).sort(), [...reservedMetadata].sort())
})
