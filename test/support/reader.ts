// Somebody who reads a page of the documents and copies its blocks, word by word, into terminals. Only the ports are others,
// and of a clone the folder has only the examples: npx and npm run the program of this checkout.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../src/platform/free-port.ts'
import './built.ts'

const root = path.resolve(import.meta.dirname, '../..')
const bin = path.join(root, 'bin/reprise.mjs')

/** False, or the reason for which nobody can copy blocks here. */
export const noReader = ['bash', 'curl', 'python3'].every(name => spawnSync(name, ['--version']).status === 0)
  ? false
  : 'bash, curl or python3 is not there'

/** `language` and text of a block, the heading above it, and the text of the block that shows its output, if there is one. */
export type Block = { language: string; text: string; heading: string; output?: string }

const blocksOf = (page: string): Block[] => {
  const text = readFileSync(path.join(root, page), 'utf8')
  const found: Block[] = []
  let heading = ''
  for (const [, title, language = '', body = ''] of text.matchAll(/^#+ (.+)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title
    else found.push({ language, text: body, heading })
  }
  return found.map((block, n) => {
    const next = found[n + 1]
    const isOutput =
      block.language === 'sh' && next !== undefined && ['json', 'text', ''].includes(next.language)
    return isOutput && next.heading === block.heading ? { ...block, output: next.text } : block
  })
}

/** A block that its reader must change first: it has a placeholder, such as the key of a model. */
const isForm = ({ text }: Block): boolean => /…|api\.example\.com/.test(text)
/** A block that ends with a server, so that its reader goes on in another terminal. */
const isProgram = ({ text }: Block): boolean =>
  /^(\w+=\S* )*(npm start|npx reprise (serve|model fake)|node (first-agent|examples\/support\/server))/m.test(
    text,
  )
/** What programs of the pages print when they are ready. */
const ready = /^(export PORT=|Requests |Open |Waits )/m

/** A text without its white space. `…` in what a page shows stands for anything. */
const fits = (output: string, shown: string): boolean => {
  const parts = shown.split('…').map(part => part.replace(/\s/g, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*?')}$`).test(output.replace(/\s/g, ''))
}

const patienceMs = 60_000

// In whatever way the tests end, nothing goes on in a terminal.
const ends = new Set<() => void>()
process.on('exit', () => {
  for (const end of ends) end()
})

/** A shell that stays open, as in a terminal: variables and functions of one block are there in the next one. */
const openTerminal = (t: Test, folder: string, env: Record<string, string>) => {
  const shell: ChildProcess = spawn(env.SHELL ?? 'bash', [], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  let woken = () => {}
  const hear = (chunk: Buffer) => {
    output += chunk
    woken()
  }
  shell.stdout?.on('data', hear)
  shell.stderr?.on('data', hear)
  const end = (): void => {
    try {
      process.kill(-(shell.pid ?? 0), 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  ends.add(end)
  t.teardown(end)
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    const late = Date.now() + patienceMs
    for (;;) {
      const found = pattern.exec(output)
      if (found !== null) return found
      if (Date.now() > late) throw new Error(`the terminal shows no ${pattern}: ${output}`)
      await new Promise<void>(resolve => {
        woken = resolve
        setTimeout(resolve, 1000)
      })
    }
  }
  let pasted = 0
  return {
    output: () => output,
    until,
    write: (text: string) => void shell.stdin?.write(text),
    /** Runs a text. Resolves to what it prints, to both outputs, and to its exit code. */
    async paste(text: string): Promise<{ printed: string; code: number }> {
      const mark = `--- ${++pasted} ---`
      output = ''
      shell.stdin?.write(`${text}\nprintf '%s%s\\n' '${mark}' $?\n`)
      const [end = '', code] = await until(new RegExp(`${mark}(\\d+)\\n`))
      return { printed: output.slice(0, output.indexOf(end)), code: Number(code) }
    },
    end,
  }
}

export type Terminal = ReturnType<typeof openTerminal>
/** What somebody saw who has copied a block. `terminal`: where it ran. */
export type Seen = { block: Block; printed: string; terminal: Terminal }

/**
 * Somebody with an empty folder. `env`: variables of all terminals; SHELL is bash unless it names another shell. The ports of the
 * pages become free ones; 8080 becomes PORT, as of a reader who has set it.
 */
export const readerOf = async (t: Test, page: string, env: Record<string, string> = {}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-reader-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  symlinkSync(path.join(root, 'examples'), path.join(folder, 'examples'))
  const shims = path.join(folder, '.shims')
  mkdirSync(shims)
  const start = `exec '${process.execPath}' '${bin}'`
  for (const [name, script] of Object.entries({
    npx: `shift\n${start} "$@"`,
    npm: `[ "$1" = start ] && ${start} serve\nexit 0`,
    node: `exec '${process.execPath}' "$@"`,
  })) {
    writeFileSync(path.join(shims, name), `#!/bin/sh\n${script}\n`)
    chmodSync(path.join(shims, name), 0o755)
  }
  // In a terminal, where its output is shown, curl shows no progress.
  writeFileSync(path.join(folder, '.curlrc'), 'no-progress-meter\n')
  const ports = new Map<string, number>()
  for (const port of ['8080', '8090', '3000', '9000']) ports.set(port, await freePort())
  const variables = {
    PATH: `${shims}:${process.env.PATH}`,
    HOME: folder,
    PORT: String(ports.get('8080')),
    DRAIN_SECONDS: '0',
    ...(process.getuid?.() === 0 ? { ENV_UID_BASE: '0' } : {}),
    ...env,
  }
  const here = (text: string): string =>
    text.replace(/\b(8080|8090|3000|9000)\b/g, port => String(ports.get(port)))
  const open = (more: Record<string, string> = {}) => openTerminal(t, folder, { ...variables, ...more })
  const mine = open()
  return {
    folder,
    /** An address of the page, as this reader has it. */
    here,
    open,
    terminal: mine,
    blocks: blocksOf(page),
    /** Copies a block. A program runs in a terminal of its own until the test ends. */
    async copy(block: Block): Promise<Seen> {
      if (isProgram(block)) {
        const terminal = open()
        terminal.write(`${here(block.text)}\nexit\n`)
        await terminal.until(ready)
        return { block, printed: terminal.output(), terminal }
      }
      const { printed, code } = await mine.paste(here(block.text))
      const name = `${block.heading}: ${block.text.split('\n', 1)[0]}`
      t.equal(code, 0, name, { printed })
      t.notMatch(printed, /command not found|No such file|"(error|detail)":/, name, { printed })
      if (block.output !== undefined)
        t.ok(fits(printed, block.output), `${name} prints what the page shows`, { printed })
      return { block, printed, terminal: mine }
    },
    /** Starts a server, as pages ask for that begin with one that runs. */
    async serves(env: Record<string, string> = {}): Promise<void> {
      const terminal = open(env)
      terminal.write('npm start\n')
      await terminal.until(ready)
    },
    /** Copies all blocks of the page that need no change, in order. */
    async copyAll(): Promise<Seen[]> {
      const seen: Seen[] = []
      for (const block of this.blocks)
        if (block.language === 'sh' && !isForm(block)) seen.push(await this.copy(block))
      return seen
    },
  }
}
