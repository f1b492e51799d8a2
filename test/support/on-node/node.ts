// Installs another version of Node: the package `node` of the npm registry contains the program and its headers.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Runs a program in the foreground, and throws if it fails. */
export const run = (command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): void => {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `exit ${status}`}`)
}

/** The variables with which a process, and every process that it starts, finds the program in `folder` as `node`. */
export const withNode = (folder: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  // `npm run` sets variables that name its own Node and its settings: they are removed.
  const kept = Object.entries(env).filter(([name]) => !/^(npm_|NODE$|NODE_OPTIONS$)/i.test(name))
  const PATH = [folder, env.PATH].filter(Boolean).join(path.delimiter)
  return { ...Object.fromEntries(kept), PATH }
}

/** The folder with the headers that belong to `program`, the `nodedir` of node-gyp. */
export const headersOf = (program: string): string => {
  const { platform, arch } = process
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'
  const name = `${prefix}-${platform}-${arch}`
  const node = path.resolve(program, '../..')
  const found = [path.join(node, 'node_modules', name), path.join(node, '..', name)].find(folder =>
    existsSync(path.join(folder, 'include/node/node.h')),
  )
  if (found === undefined) throw new Error(`${node} has no headers of Node`)
  return found
}

/** The program of this version, which is installed into `folder` if it is not there. */
export const installNode = (version: string, folder: string): string => {
  const program = path.join(folder, 'node_modules/node/bin/node')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  // The install script of the package installs the program for this platform.
  const manifest = { private: true, allowScripts: { node: true } }
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest)}\n`)
  run('npm', ['install', '--no-save', '--no-package-lock', `node@${version}`], folder, process.env)
  return program
}
