// `npm run test:node -- 24` runs `npm test` on Node 24, and `npm run test:node -- 24 test/log/audit.test.ts` runs only
// these test files. Node, and a copy of the working tree with its packages, are kept in .node/24. To get a newer
// version of Node 24, delete that folder.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { copySources, havePackages } from './copy.ts'
import { headersOf, installNode, run, withNode } from './node.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const [version = '', ...files] = process.argv.slice(2)
if (!/^\d+(\.\d+){0,2}$/.test(version)) {
  process.stderr.write('usage: npm run test:node -- 24 [test files]\n')
  process.exit(2)
}
const folder = path.join(root, '.node', version)
const copy = path.join(folder, 'reprise')
const program = installNode(version, folder)
const env = withNode(path.dirname(program), process.env)
const asked = execFileSync(program, ['-p', '[process.version, process.versions.napi].join(" ")'], {
  encoding: 'utf8',
})
const [node = '', nodeApi] = asked.trim().split(' ')
console.log(`Node ${node} in ${path.relative(root, copy)}`)
copySources(root, copy)
havePackages(copy, node, () => {
  run('npm', ['ci', '--ignore-scripts'], copy, env)
  // Older versions of Node need better-sqlite3 12, which is compiled here (src/platform/sqlite/library.ts).
  if (Number(nodeApi) < 10)
    run('npm', ['rebuild', 'better-sqlite3'], copy, {
      ...env,
      npm_package_config_node_gyp_nodedir: headersOf(program),
    })
})
try {
  run(program, ['test/support/run.mjs', ...files], copy, env)
} catch {
  process.exitCode = 1 // the tests have said why
}
