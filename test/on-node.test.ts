import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import tap from 'tap'
import { copySources, havePackages } from './support/on-node/copy.ts'
import { headersOf, installNode, withNode } from './support/on-node/node.ts'

tap.test('a copy for another Node has the sources of now, and packages of its own', t => {
  const root = t.testdir({
    checkout: {
      '.git': '',
      dist: { current: 'old' },
      src: { 'main.ts': 'first' },
      'package-lock.json': 'lock 1',
      node_modules: { 'better-sqlite3': 'for the first Node' },
    },
  })
  const [checkout, copy] = [path.join(root, 'checkout'), path.join(root, 'copy')]
  const installed: string[] = []
  const bring = (node: string) => {
    copySources(checkout, copy)
    havePackages(copy, node, () => {
      installed.push(node)
      mkdirSync(path.join(copy, 'node_modules'), { recursive: true })
      writeFileSync(path.join(copy, 'node_modules/better-sqlite3'), `for ${node}`)
    })
  }
  const inCopy = (name: string) => readFileSync(path.join(copy, name), 'utf8')
  bring('v24.1.0')
  t.equal(inCopy('src/main.ts'), 'first')
  for (const name of ['.git', 'dist']) t.throws(() => inCopy(name), { code: 'ENOENT' })

  writeFileSync(path.join(copy, 'src/left.ts'), '')
  writeFileSync(path.join(checkout, 'src/main.ts'), 'second')
  bring('v24.1.0')
  t.equal(inCopy('src/main.ts'), 'second')
  t.throws(() => inCopy('src/left.ts'), 'a file that the sources no longer have goes')
  t.same(installed, ['v24.1.0'], 'packages are kept')

  bring('v24.2.0')
  writeFileSync(path.join(checkout, 'package-lock.json'), 'lock 2')
  bring('v24.2.0')
  t.same(installed, ['v24.1.0', 'v24.2.0', 'v24.2.0'], 'another Node or another lock file: installed again')
  t.equal(inCopy('node_modules/better-sqlite3'), 'for v24.2.0')
  t.equal(readFileSync(path.join(checkout, 'node_modules/better-sqlite3'), 'utf8'), 'for the first Node')
  t.end()
})

tap.test('a Node that is installed is taken as it is, with its headers', t => {
  const name = `${process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${process.platform}-${process.arch}`
  const headers = () => ({ include: { node: { 'node.h': '' } } })
  const folder = t.testdir({
    nested: { node_modules: { node: { bin: { node: '' }, node_modules: { [name]: headers() } } } },
    beside: { node_modules: { node: { bin: { node: '' } }, [name]: headers() } },
    without: { node_modules: { node: { bin: { node: '' } } } },
  })
  const nested = installNode('24', path.join(folder, 'nested'))
  t.equal(nested, path.join(folder, 'nested/node_modules/node/bin/node'))
  t.equal(headersOf(nested), path.join(folder, 'nested/node_modules/node/node_modules', name))
  const beside = installNode('24', path.join(folder, 'beside'))
  t.equal(headersOf(beside), path.join(folder, 'beside/node_modules', name))
  t.throws(() => headersOf(installNode('24', path.join(folder, 'without'))), /no headers/)
  t.end()
})

tap.test('what the tests start finds the other Node first, and no settings of the npm that started it', t => {
  const env = withNode('/nodes/24', {
    PATH: '/usr/bin',
    HOME: '/home/you',
    NODE_OPTIONS: '--inspect',
    NODE: '/usr/bin/node',
    npm_node_execpath: '/usr/bin/node',
    npm_config_nodedir: '/usr',
  })
  t.same(env, { PATH: `/nodes/24${path.delimiter}/usr/bin`, HOME: '/home/you' })
  t.end()
})
