// What keeps the sources easy to find one's way in: no long files, three loose files in src/, and one maker for each name.
import { readdirSync, readFileSync } from 'node:fs'
import tap from 'tap'

const longestFile = 400

const files = ['actors', 'console', 'library', 'projections', 'src'].flatMap(root =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => `${root}/${name}`),
)
const linesOf = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length

tap.test('only the variables are loose in src', t => {
  const loose = readdirSync('src', { withFileTypes: true }).filter(entry => entry.isFile())
  t.same(loose.map(entry => entry.name).sort(), ['config.ts'])
  t.end()
})

tap.test('no file is too long to read as one', t => {
  t.ok(files.length > 400)
  t.same(
    files.filter(file => linesOf(file) > longestFile && file !== 'library/client/types.ts'), // nobody reads what is generated
    [],
  )
  t.end()
})

tap.test('each part of the server has a maker with a name of its own', t => {
  const makers = new Map<string, string[]>()
  for (const file of files.filter(name => !name.startsWith('console/')))
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
      /^export (?:async )?(?:const|function\*?) ((?:create|open|start|make|connect)[A-Z]\w*)/gm,
    ))
      makers.set(name, [...(makers.get(name) ?? []), file])
  t.ok(makers.size > 200)
  t.same(
    [...makers].filter(([, where]) => where.length > 1),
    [],
  )
  t.end()
})

/** Words that name one thing only, and the folders of that thing. */
const ownWords: [RegExp, string[]][] = [
  [/wall/, []],
  [/keep|kept/, ['actors/env-session/', 'src/environments/', 'src/proof/store/keeper.ts']],
  [
    /chat/,
    ['actors/task/decide/group-chat.ts', 'console/sessions/', 'projections/', 'src/contract/task-events/'],
  ],
]

tap.test('a word that the glossary gives to one thing stands in the file names of that thing alone', t => {
  for (const [word, folders] of ownWords)
    t.same(
      files.filter(file => word.test(file) && !folders.some(folder => file.startsWith(folder))),
      [],
      String(word),
    )
  t.end()
})
