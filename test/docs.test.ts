// What the documents name is there.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { reservedMetadata } from '../src/contract/wire.ts'

const root = path.resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

const pages = readdirSync(path.join(root, 'docs')).filter(name => name.endsWith('.md'))
const decisions = readdirSync(path.join(root, 'docs/decisions')).filter(name => /^\d/.test(name))
const documents = [
  ...['README.md', 'SECURITY.md', 'docs/decisions/README.md'],
  ...pages.map(name => `docs/${name}`),
  ...decisions.map(name => `docs/decisions/${name}`),
]
/** Files that the documents ask their reader to write, or that an export contains. */
const ofTheReader = ['guess.mjs', 'index.mjs', 'index.ts', 'verify.mjs']
for (const document of documents) {
  t.test(`every file that ${document} names exists`, async t => {
    const named = [
      ...read(document).matchAll(/(?:`|\]\()((?:[\w-]+\/)*[\w.-]+\.(?:ts|mjs|md))(?:`|\))/g),
    ].map(([, file]) => file ?? '')
    const folders = ['', 'actors', 'actors/task', 'src', 'docs', path.dirname(document)]
    for (const file of named) {
      t.ok(
        ofTheReader.includes(file) || folders.some(folder => existsSync(path.join(root, folder, file))),
        file,
      )
    }
  })
}

t.test('every link between documents leads to a file, and to a heading of it', async t => {
  for (const document of documents) {
    for (const [, target = ''] of read(document).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [file = '', heading] = target.split('#')
      const named = file === '' ? document : path.join(path.dirname(document), file)
      t.ok(existsSync(path.join(root, named)), `${document} names ${target}`)
      if (heading === undefined) continue
      const headings = [...read(named).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
        text
          .toLowerCase()
          .replace(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      )
      t.ok(headings.includes(heading), `${document} names ${target}`)
    }
  }
})

t.test('the paths through the code lead through functions that are there', async t => {
  const hops = [...read('docs/architecture.md').matchAll(/\*\*`([\w/.-]+\.ts)`\*\* `(\w+)`/g)]
  t.ok(hops.length >= 19, `${hops.length} hops`)
  for (const [, file = '', name = ''] of hops)
    t.match(read(file), new RegExp(`export const ${name}\\b`), `${name} in ${file}`)
})

t.test('no command has a comment behind it, which some shells would take for arguments', async t => {
  for (const document of documents.filter(name => name !== 'docs/cluster.md'))
    for (const [, block = ''] of read(document).matchAll(/^```sh\n([\s\S]*?)^```$/gm))
      t.notMatch(block.replace(/<<'(\w+)'[\s\S]*?^\1$/gm, ''), /\S +# /, document)
})

t.test('the index names every page', async t => {
  const index = read('docs/README.md')
  for (const page of pages.filter(name => name !== 'README.md')) t.match(index, `(${page})`, page)
})

t.test('the index of decisions has a row for each, with its number and its title', async t => {
  const rows = [...read('docs/decisions/README.md').matchAll(/^\| (\[\d+\]\(.+?\) \| .+?) \| .+ \|$/gm)]
  const titleOf = (name: string) => read(`docs/decisions/${name}`).match(/^# (.+)/)?.[1]
  t.same(
    rows.map(([, row]) => row).sort(),
    decisions.map(name => `[${name.split('-', 1)[0]}](${name}) | ${titleOf(name)}`).sort(),
  )
})

t.test('the configuration page gives the default of every variable that the configuration reads', async t => {
  const configuration = read('docs/configuration.md')
  const source = read('src/config.ts')
  const variables = new Set(
    [...source.matchAll(/env\.([A-Z_]+)|(?:wholeNumber|atLeastOne)\(env, '([A-Z_]+)'/g)].map(
      ([, a, b]) => a ?? b ?? '',
    ),
  )
  t.ok(variables.size >= 8, [...variables].join(' '))
  for (const variable of variables) t.match(configuration, `\`${variable}\``, variable)
})

t.test('one version is named everywhere', async t => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  t.match(read('package-lock.json').slice(0, 300), `"version": "${version}"`)
  t.match(read('python/pyproject.toml'), `version = "${version}"`)
  t.match(read('examples/agents/worker/package.json'), `reprise-${version}.tgz`)
  t.match(read('src/documents/operations/service.ts'), `version: '${version}'`)
  t.match(read('CHANGELOG.md'), `\n## ${version} - `)
  t.ok(existsSync(path.join(root, `test/recorded/folders/${version}.tar.gz`)), 'its data folder is kept')
})

t.test('every dependency has its line, with its version', async t => {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
    string,
    Record<string, string>
  >
  const toolchain = JSON.parse(read('toolchain/package.json')) as {
    optionalDependencies: Record<string, string>
  }
  const lines = read('docs/dependencies.md')
  for (const [name, version] of Object.entries({
    ...dependencies,
    ...optionalDependencies,
    ...devDependencies,
    ...toolchain.optionalDependencies,
  })) {
    // A folder of this repository has no version: what it brings is pinned there.
    const [pinned] = version.match(/^\d+\.\d+\.\d+(?:-[\w.]+)?$|^file:\w+$/) ?? []
    t.ok(pinned, `${name} is pinned`)
    if (!name.startsWith('@types/')) t.match(lines, `${name} ${pinned}`)
  }
})

t.test('every key that we write in metadata is listed', async t => {
  const keys = [...read('docs/decisions/21-what-we-write-in-metadata.md').matchAll(/^\| `(\w+)` \|/gm)]
  t.same(keys.map(([, key]) => key).sort(), [...reservedMetadata].sort())
})

t.test('every symptom for operators is produced by a test, which it names', t => {
  const [, page = ''] = read('docs/operations.md').split('## What you see, what it is, what to do')
  const rows = page
    .split('\n')
    .filter(line => /^\| (?!What you see|-)/.test(line) && !line.startsWith('|---'))
  t.ok(rows.length > 20)
  for (const row of rows) {
    const [, file = 'no test'] = row.match(/<!-- (\S+\.test\.ts) -->/) ?? []
    t.ok(existsSync(path.join(root, file)), `${file}: ${row.slice(0, 80)}`)
  }
  t.end()
})

t.test('the glossary has each term once, and the code uses it', async t => {
  const rows = [...read('docs/glossary.md').matchAll(/^\| ([^|]+?) \| .+ \|$/gm)].map(([, term = '']) => term)
  const terms = rows
    .filter(term => term !== 'Term' && !term.startsWith('-'))
    .flatMap(term => term.split(', '))
  t.ok(terms.length > 100)
  t.same(
    terms.filter((term, n) => terms.indexOf(term) !== n),
    [],
    'no term has two meanings',
  )
  const bare = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, '')
  const code = bare(
    globSync('{src,actors,projections,console}/**/*.{ts,tsx}', { cwd: root }).map(read).join(),
  )
  for (const term of terms) t.ok(code.includes(bare(term)), term)
})
