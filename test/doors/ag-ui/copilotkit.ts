// The page of docs/ag-ui.md, with CopilotKit as its page installs it. The packages are installed once, on demand: they are more
// than all packages of this project together.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { build } from 'esbuild'
import type { Test } from 'tap'

const root = path.resolve(import.meta.dirname, '../../..')
const folder = path.join(root, 'node_modules/.cache/copilotkit')
const text = readFileSync(path.join(root, 'docs/ag-ui.md'), 'utf8')
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text)?.[1] ?? ''

/** What the page installs, but for the bundler, which is here. */
const packages = (/^npm install (.*) esbuild$/m.exec(text)?.[1] ?? '').split(' ')

export const noCopilotKit = `CopilotKit could not be installed: npm install ${packages.join(' ')}`

/** Whether CopilotKit is there. Installs it at the first time. */
export const hasCopilotKit = (): boolean => {
  const made = path.join(folder, 'made')
  const wanted = packages.join(' ')
  if (existsSync(made) && readFileSync(made, 'utf8') === wanted) return true
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}')
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-save', ...packages]
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'ignore', timeout: 280_000 })
  if (status === 0) writeFileSync(made, wanted)
  return status === 0
}

/** Serves the page on an origin of its own. `url`: the server whose agents it uses, known when the origin is. */
export const servePage = async (t: Test) => {
  const files = new Map<string, { type: string; body: string | Uint8Array }>()
  const server = createServer(({ url: where = '/' }, answer) => {
    const file = files.get(where)
    answer.writeHead(file === undefined ? 404 : 200, { 'content-type': file?.type ?? 'text/plain' })
    answer.end(file?.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  files.set('/', { type: 'text/html; charset=utf-8', body: blockOf('html') })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Makes the page for this server. */
    async make(url: string): Promise<void> {
      const page = path.join(folder, 'page.tsx')
      writeFileSync(page, blockOf('tsx').replace('http://127.0.0.1:8080', url))
      const { outputFiles } = await build({
        entryPoints: [page],
        bundle: true,
        write: false,
        outdir: folder,
        jsx: 'automatic',
        loader: { '.woff2': 'dataurl', '.woff': 'empty', '.ttf': 'empty' },
        logLevel: 'error',
      })
      for (const { path: made, contents } of outputFiles) {
        const type = made.endsWith('.css') ? 'text/css' : 'text/javascript'
        files.set(`/${path.basename(made)}`, { type, body: contents })
      }
    },
  }
}
