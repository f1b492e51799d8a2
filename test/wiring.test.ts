// No part is used before it is made. A closure over a part that is made further down compiles, and hides a circle:
// such a part works only because nobody calls the closure too early.
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { parse } from 'acorn'
import { analyze, type Variable } from 'eslint-scope'
import type { Expression, Program, Super } from 'estree'
import t from 'tap'

/** Names of functions that make a part of the system. */
const makes = /^(create|open|start|connect)[A-Z]/

/** Whether an expression calls a function that makes a part. */
const isMaking = (value: Expression | Super): boolean => {
  switch (value.type) {
    case 'AwaitExpression':
      return isMaking(value.argument)
    case 'ConditionalExpression':
      return isMaking(value.consequent) || isMaking(value.alternate)
    case 'LogicalExpression':
      return isMaking(value.left) || isMaking(value.right)
    case 'CallExpression': {
      const { callee } = value
      if (callee.type === 'Identifier') return makes.test(callee.name)
      if (callee.type !== 'MemberExpression') return false
      return (
        (callee.property.type === 'Identifier' && makes.test(callee.property.name)) || isMaking(callee.object)
      )
    }
    default:
      return false
  }
}

const startOf = (node: object): number => (node as { start: number }).start
const endOf = (node: object): number => (node as { end: number }).end

/**
 * Where a variable gets the part that it holds; undefined: it holds no part. A function that makes it later, for example at
 * its first use, does not count.
 */
const madeAt = ({ references, scope }: Variable): number | undefined => {
  const made = references.filter(
    ({ from, writeExpr }) => from === scope && writeExpr && isMaking(writeExpr as Expression),
  )
  return made.length === 0 ? undefined : Math.min(...made.map(({ identifier }) => startOf(identifier)))
}

/**
 * Uses of parts above the line that makes them, as `line: name`; a function that is declared further down and uses a part
 * is such a use, too, when something above that line refers to the function.
 */
const usedTooEarly = (text: string): string[] => {
  const ast = parse(stripTypeScriptTypes(text), { ecmaVersion: 'latest', sourceType: 'module', ranges: true })
  const { scopes } = analyze(ast as unknown as Program, { ecmaVersion: 2022, sourceType: 'module' })
  const variables = scopes.flatMap(scope => scope.variables)
  const functions = variables.flatMap(variable =>
    variable.defs.filter(({ type }) => type === 'FunctionName').map(({ node }) => ({ variable, node })),
  )
  /** The place from which a use counts: its own or, in a function that is declared, the first one that leads there. */
  const placeOf = (at: number, seen: readonly object[] = []): number => {
    const around = functions.find(({ node }) => startOf(node) < at && at < endOf(node))
    if (around === undefined || seen.includes(around.node)) return at
    const { references } = around.variable
    return Math.min(
      ...references.map(({ identifier }) => placeOf(startOf(identifier), [...seen, around.node])),
    )
  }
  return variables.flatMap(variable => {
    const made = madeAt(variable)
    if (made === undefined) return []
    return variable.references
      .map(({ identifier }) => startOf(identifier))
      .filter(at => placeOf(at) < made)
      .map(at => `${text.slice(0, at).split('\n').length}: ${variable.name}`)
  })
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => path.join(folder, name))

t.test('a use above the line that makes a part is found, however it is hidden', async t => {
  const late = (text: string) => usedTooEarly(`const system = async () => {\n${text}\n}`)
  t.same(late('const a = createA(() => b.go())\nconst b = createB()'), ['2: b'])
  t.same(late('let b\nconst a = createA(() => b.go())\nb = await openB()'), ['3: b'])
  t.same(late('const a = createA({ go })\nconst b = createB()\nfunction go() { b.go() }'), ['4: b'])
  t.same(late('const b = createB()\nconst a = createA(() => b.go())'), [], 'made first')
  t.same(late('const a = createA(b => b.go(), { b: 1 })\nconst b = createB(a.b)'), [], 'another b')
  t.same(late('const b = createB(() => b.end())'), [], 'a part may call back to who holds it')
})

t.test('no part is used above the line that makes it', async t => {
  const found = ['src', 'actors', 'projections']
    .flatMap(filesIn)
    .flatMap(file => usedTooEarly(readFileSync(file, 'utf8')).map(use => `${file}:${use}`))
  t.same(found, [])
})
