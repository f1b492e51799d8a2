// Loads the file of an agent. It may import `reprise/agent` and `xstate` also when no node_modules is beside it.
import { spawnSync } from 'node:child_process'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { type Definition, definitionOf } from '../../../library/agent/definition.ts'

/** The files that belong to this process. `xstate` is used when the file has no other. */
const library = new URL('./agent.mjs', import.meta.url).href
const xstate = new URL('./xstate.mjs', import.meta.url).href

const findOurs = (file: string): void => {
  const { href } = pathToFileURL(file)
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'reprise/agent') return { url: library, format: 'module', shortCircuit: true }
      if (specifier === 'xstate') {
        try {
          return next(specifier, context)
        } catch {
          return { url: xstate, format: 'module', shortCircuit: true }
        }
      }
      const resolved = next(specifier, context)
      // An agent has a default export, so a file of TypeScript is a module, whatever package.json says.
      return resolved.url === href && file.endsWith('.ts')
        ? { ...resolved, format: 'module-typescript' }
        : resolved
    },
  })
}

/** The line of a syntax error, which only Node's own check tells. Empty when the error is in another file. */
const lineOf = (file: string): string => {
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' })
  const [, line] = stderr.match(/^\S+:(\d+)\n/) ?? []
  return line === undefined ? '' : ` (line ${line})`
}

/** Why the file cannot be loaded, and what to do. */
const reasonOf = (error: unknown, file: string): string => {
  if (!(error instanceof Error)) return `the file has thrown ${String(error)}`
  const { code } = error as NodeJS.ErrnoException
  const line = error instanceof SyntaxError && !file.endsWith('.ts') ? lineOf(file) : ''
  const told = `${error.name}: ${error.message.split('\n')[0]}${line}`
  if (code === 'ERR_MODULE_NOT_FOUND' && /Cannot find package/.test(error.message))
    return `${told}: install the package in the folder of the file`
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return `${told}: Node only removes types, so write it without enum, namespace and parameter properties`
  return told
}

/** Rejects with an error that says what to do. */
export const loadAgent = async (file: string): Promise<Definition> => {
  findOurs(file)
  const module = await import(pathToFileURL(file).href).catch(error => {
    throw new Error(reasonOf(error, file))
  })
  if (!('default' in module))
    throw new Error('the file has no default export: write “export default agent(async ctx => …)”')
  return definitionOf(module.default)
}
