// What the tests of the workspace share: an instance with a secret beside it, and which sandbox there is.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import type { StepContext } from '../../../src/contract/environment.ts'
import { Workspace } from '../../../src/environments/kinds/workspace/workspace.ts'
import { allowUnsandboxed, bubblewrapProgram } from '../../../src/environments/sandbox-variables.ts'
import { bubblewrap, noBubblewrap } from '../../support/sandbox.ts'
import { contextOf, failure, folder } from './support.ts'

export const secret = 'the secret'
/** Each sandbox with the reason to skip its tests. */
export const sandboxes = {
  limits: false,
  bubblewrap: noBubblewrap,
} as const
export type Sandbox = keyof typeof sandboxes

/** The variables that tell a workspace of its sandbox, as the service sets them. */
export const variablesFor = (sandbox: Sandbox): Record<string, string> =>
  sandbox === 'bubblewrap' && 'program' in bubblewrap
    ? { [bubblewrapProgram]: bubblewrap.program }
    : { [allowUnsandboxed]: '1' }

type Given = { kwargs?: object; sandbox?: Sandbox; env_vars?: Record<string, string> }

export const givenWorkspace = (t: Test, { kwargs = {}, sandbox = 'limits', env_vars = {} }: Given = {}) => {
  const around = folder(t)
  const [dir, outside] = [path.join(around, 'session'), path.join(around, 'outside')]
  mkdirSync(path.join(outside, 'deep'), { recursive: true })
  writeFileSync(path.join(outside, 'secret.txt'), secret)
  const variables = variablesFor(sandbox)
  Object.assign(process.env, variables)
  const workspace = new Workspace({ ...kwargs }, { dir, env_vars })
  for (const name of Object.keys(variables)) delete process.env[name]
  t.teardown(() => workspace.close())
  workspace.reset(1, {})
  const inside = (...names: string[]) => path.join(dir, 'files', ...names)
  const step = async (tool: string, args: object = {}, given: Partial<StepContext> = {}) =>
    workspace.step(tool, { ...args }, contextOf(0, 0, { env_vars, ...given }))
  return {
    workspace,
    dir,
    around,
    outside,
    inside,
    step,
    call: async (tool: string, args: object = {}) => (await step(tool, args)).content as string,
    told: (tool: string, args: object = {}) => failure(async () => (await step(tool, args)).content),
    shell: (command: string, more: object = {}, given: Partial<StepContext> = {}) =>
      step('shell', { command, ...more }, given),
    got: (name: string) => readFileSync(inside(name), 'utf8'),
    put(name: string, content: string | Buffer) {
      mkdirSync(path.dirname(inside(name)), { recursive: true })
      writeFileSync(inside(name), content)
    },
    link: (name: string, to: string) => symlinkSync(to, inside(name)),
    fifo: (name: string) => spawnSync('mkfifo', [inside(name)]),
  }
}
