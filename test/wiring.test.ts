// No part is used before it is made. A closure over a part that is made further down compiles, and hides a circle:
// such a part works only because nobody calls the closure too early.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import ts from 'typescript'

/** Names of functions that make a part of the system. */
const makes = /^(create|open|start|connect)[A-Z]/

/** The function that an initializer calls to make a part; undefined: it makes none. */
const makerOf = (value: ts.Expression | undefined): string | undefined => {
  if (value === undefined) return undefined
  if (ts.isAwaitExpression(value) || ts.isParenthesizedExpression(value)) return makerOf(value.expression)
  if (ts.isConditionalExpression(value)) return makerOf(value.whenTrue) ?? makerOf(value.whenFalse)
  if (ts.isBinaryExpression(value)) return makerOf(value.left) ?? makerOf(value.right)
  if (!ts.isCallExpression(value)) return undefined
  const callee = value.expression
  const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText()
  if (makes.test(name)) return name
  return ts.isPropertyAccessExpression(callee) ? makerOf(callee.expression) : undefined
}

const namesOf = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap(element => (ts.isBindingElement(element) ? namesOf(element.name) : []))

/** Whether an identifier is the use of a variable, not the name of a property or of something that is declared. */
const isUse = (node: ts.Identifier): boolean => {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node
  if (ts.isBindingElement(parent)) return parent.initializer === node
  if (ts.isParameter(parent) || ts.isVariableDeclaration(parent)) return parent.initializer === node
  return !(ts.isMethodDeclaration(parent) || ts.isTypeNode(parent) || ts.isPropertySignature(parent))
}

/** The names that a function or block declares for what is in it. */
const declaredIn = (scope: ts.Node): string[] => {
  const names: string[] = []
  if (ts.isFunctionLike(scope)) names.push(...scope.parameters.flatMap(({ name }) => namesOf(name)))
  if (ts.isForOfStatement(scope) || ts.isForStatement(scope)) {
    const first = scope.initializer
    if (first !== undefined && ts.isVariableDeclarationList(first)) {
      names.push(...first.declarations.flatMap(({ name }) => namesOf(name)))
    }
  }
  if (ts.isBlock(scope)) {
    for (const statement of scope.statements) {
      if (ts.isVariableStatement(statement)) {
        names.push(...statement.declarationList.declarations.flatMap(({ name }) => namesOf(name)))
      }
      if (ts.isFunctionDeclaration(statement) && statement.name) names.push(statement.name.text)
    }
  }
  return names
}

type Scope = ts.Block | ts.SourceFile
const isScope = (node: ts.Node): node is Scope => ts.isBlock(node) || ts.isSourceFile(node)

/** Each part that a block makes, with the place where that begins: by a declaration, or by an assignment to a `let`. */
const partsOf = ({ statements }: Scope): { name: string; at: number }[] =>
  statements.flatMap(statement => {
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations
        .filter(({ initializer }) => makerOf(initializer) !== undefined)
        .flatMap(({ name, pos }) => namesOf(name).map(part => ({ name: part, at: pos })))
    }
    if (!ts.isExpressionStatement(statement) || !ts.isBinaryExpression(statement.expression)) return []
    const { left, right } = statement.expression
    return ts.isIdentifier(left) && makerOf(right) !== undefined
      ? [{ name: left.text, at: statement.pos }]
      : []
  })

/**
 * Uses of parts above the line that makes them, as `line: name`; a function that is declared further down and uses a part
 * is such a use, too.
 */
const usedTooEarly = (text: string): string[] => {
  const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const lookFor = (part: string, scope: Scope, at: number) => {
    const seen = new Set<ts.Node>()
    const below = new Map(
      scope.statements
        .filter(ts.isFunctionDeclaration)
        .map(declared => [declared.name?.text ?? '', declared] as const),
    )
    const look = (node: ts.Node, end: number): void => {
      if (node.pos >= end || declaredIn(node).includes(part)) return
      if (end === at && ts.isFunctionDeclaration(node) && node.parent === scope) return // when it is used
      if (ts.isIdentifier(node) && isUse(node)) {
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
        if (node.text === part) found.push(`${line}: ${part}`)
        const declared = below.get(node.text)
        if (declared?.body !== undefined && !seen.has(declared)) {
          seen.add(declared)
          ts.forEachChild(declared.body, inside => look(inside, Number.POSITIVE_INFINITY))
        }
      }
      ts.forEachChild(node, inside => look(inside, end))
    }
    ts.forEachChild(scope, node => look(node, at))
  }
  const visit = (node: ts.Node): void => {
    if (isScope(node)) for (const { name, at } of partsOf(node)) lookFor(name, node, at)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => path.join(folder, name))

t.test('a use above the line that makes a part is found, however it is hidden', async t => {
  const late = (text: string) => usedTooEarly(`const system = () => {\n${text}\n}`)
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
