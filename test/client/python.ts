// The clients for Python, as a process that drives one of them.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { python } from '../python-agent/peer.ts'
import type { Does } from './behaviours.ts'

export const pythonPath = path.resolve(import.meta.dirname, '../../python')

/** Starts driver.py. */
export const pythonDriver = (t: Test, mode: 'sync' | 'async') => {
  const child = spawn(python, [path.join(import.meta.dirname, 'driver.py'), mode], {
    env: { PATH: process.env.PATH, PYTHONPATH: pythonPath, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', text => (errors += text))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  t.teardown(() => child.kill('SIGKILL'))
  return async (url: string, does: Does): Promise<Record<string, unknown>> => {
    child.stdin.write(`${JSON.stringify({ url, does })}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`driver.py has ended: ${errors}`)
    return JSON.parse(value)
  }
}
