// The programs that run the files of agents.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { built } from '../platform/built.ts'
import type { Command } from '../platform/children/children.ts'
import { variablesOfPrograms } from '../platform/programs/variables.ts'

const python = (): string => path.dirname(fileURLToPath(built('python/reprise_agent.py')))

/** The program that runs one file. */
export const commandOfAgent = (file: string, memoryMb: number): Command => {
  const place = { cwd: path.dirname(file), env: variablesOfPrograms() }
  if (path.extname(file) === '.py') {
    const env = { ...place.env, PYTHONPATH: python() }
    return { ...place, command: 'python3', args: ['-m', 'reprise_agent', file], env }
  }
  const host = fileURLToPath(built('agent-host-process.mjs'))
  return { ...place, command: process.execPath, args: [`--max-old-space-size=${memoryMb}`, host, file] }
}
