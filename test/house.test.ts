// The sizes of what we ship: short files, short functions, and three loose files in src/.
import { readdirSync, readFileSync } from 'node:fs'
import tap from 'tap'
import ts from 'typescript'

const longestFile = 300
const longestFunction = 80
const highestMedian = 55

const files = ['actors', 'console', 'projections', 'src'].flatMap(root =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => `${root}/${name}`),
)
const linesOf = (text: string): number => text.trimEnd().split('\n').length

/** What a function is called: by itself, or by the variable or property that holds it. */
const nameOf = (node: ts.SignatureDeclaration): string => {
  const holder = node.name ?? ('name' in node.parent ? (node.parent.name as ts.Node) : undefined)
  return holder?.getText() ?? 'without a name'
}

/** Every function of a file that has a body, with its lines from start to end, nested functions included. */
const functionsOf = (file: string, text: string): { name: string; lines: number }[] => {
  const kind = file.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind)
  const found: { name: string; lines: number }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      found.push({ name: `${file} ${nameOf(node)}`, lines: linesOf(node.getText()) })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const texts = files.map(file => ({ file, text: readFileSync(file, 'utf8') }))

tap.test('only the composition root and the variables are loose in src', t => {
  const loose = readdirSync('src', { withFileTypes: true }).filter(entry => entry.isFile())
  t.same(loose.map(entry => entry.name).sort(), ['config.ts', 'main.ts', 'system.ts'])
  t.end()
})

tap.test('half of the files are short', t => {
  const lengths = texts.map(({ text }) => linesOf(text)).sort((a, b) => a - b)
  t.ok(lengths.length > 400)
  t.ok((lengths[Math.floor(lengths.length / 2)] ?? 0) <= highestMedian)
  t.end()
})

tap.test('no file and no function is too long', t => {
  const long = texts.flatMap(({ file, text }) => [
    ...(linesOf(text) > longestFile ? [file] : []),
    ...functionsOf(file, text)
      .filter(({ lines }) => lines > longestFunction)
      .map(({ name }) => name),
  ])
  t.same(long, [])
  t.end()
})

tap.test('the lines of a function are its own, with those of the functions inside it', t => {
  const text = 'const outer = () => {\n  const inner = () => 1\n  return {\n    method() {\n    },\n  }\n}\n'
  t.same(functionsOf('a.ts', text), [
    { name: 'a.ts outer', lines: 7 },
    { name: 'a.ts inner', lines: 1 },
    { name: 'a.ts method', lines: 2 },
  ])
  t.end()
})
