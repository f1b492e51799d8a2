// Hosts of a folder of scripted agents, in processes of their own, behind the port that tasks use.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { openCodeHosts } from '../../../src/agent-hosts/code-hosts.ts'
import { builtinNames } from '../../../src/agents/names.ts'
import type { Report } from '../../../src/contract/ports.ts'
import { openChildren } from '../../../src/platform/children/children.ts'
import { createMemoryWatch } from '../../../src/platform/programs/memory-watch.ts'
import { variablesOfPrograms } from '../../../src/platform/programs/variables.ts'
import { realWorld } from '../../../src/platform/world.ts'
import '../../support/built.ts'

const host = path.join(import.meta.dirname, 'host.mjs')

/** `files`: what the hello of each agent has besides its name. */
export const openHosts = async (
  top: string,
  files: Record<string, object>,
  { stallMs = 10_000, memoryMb = 256, report = (() => {}) as Report } = {},
) => {
  const folder = path.join(top, 'agents')
  mkdirSync(folder, { recursive: true })
  const write = (name: string, what: object) => writeFileSync(path.join(folder, name), JSON.stringify(what))
  for (const [name, what] of Object.entries(files)) write(name, what)
  const children = await openChildren(path.join(top, 'children'))
  const { clock, timers } = realWorld()
  const hosts = openCodeHosts(
    {
      ...{ children, clock, timers, memory: createMemoryWatch(timers), report, builtin: builtinNames },
      listFile: undefined,
      commandOf: file => ({
        ...{ command: process.execPath, args: [host, file] },
        ...{ cwd: folder, env: variablesOfPrograms() },
      }),
      userFor: () => undefined,
    },
    { path: folder, memoryMb, stallMs },
  )
  return { ...hosts, children, folder, write, running: () => readdirSync(path.join(top, 'children')).length }
}

/** The same, until the test ends. */
export const givenHosts = async (
  t: Test,
  files: Record<string, object>,
  settings: { stallMs?: number; memoryMb?: number } = {},
) => {
  const top = mkdtempSync(path.join(tmpdir(), 'reprise-agents-'))
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = []
  const report: Report = (level, message, fields = {}) => void lines.push({ level, message, fields })
  const hosts = await openHosts(top, files, { ...settings, report })
  t.teardown(async () => {
    await hosts.close()
    await hosts.children.close()
    rmSync(top, { recursive: true, force: true, maxRetries: 5 })
  })
  const info = (name: string) => hosts.list(undefined).find(one => one.name === name)
  return {
    ...hosts,
    lines,
    info,
    isUp: (name: string) => hosts.agents.find(name, 'anna')?.description !== undefined,
  }
}
