// Checks the types of a file in TypeScript with the compiler of its own project. Node only removes types, and the server
// too, so nobody else checks them.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** The compiler that the file would import. */
const compilerOf = (file: string): string | undefined => {
  try {
    const { resolve } = createRequire(file)
    return path.join(path.dirname(resolve('typescript/package.json')), 'bin/tsc')
  } catch {
    return undefined
  }
}
/** The nearest of these paths, from a folder upwards. */
const nearest = (folder: string, name: string): string | undefined => {
  const there = path.join(folder, name)
  if (existsSync(there)) return there
  const above = path.dirname(folder)
  return above === folder ? undefined : nearest(above, name)
}

/** The settings of the project, for this file alone. Without a project, those with which Node runs what is accepted. */
const settingsFor = (file: string): object => {
  const folder = path.dirname(file)
  const project = nearest(folder, 'tsconfig.json')
  const types = nearest(folder, 'node_modules/@types')
  const ofNode = {
    ...{ target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: true },
    ...{ allowImportingTsExtensions: true, erasableSyntaxOnly: true },
  }
  return {
    ...(project === undefined ? {} : { extends: project }),
    compilerOptions: {
      ...(project === undefined ? ofNode : {}),
      ...{ noEmit: true, composite: false, incremental: false },
      ...(types === undefined ? {} : { typeRoots: [types] }),
    },
    ...{ files: [file], include: [], references: [] },
  }
}

export type TypeFinding = { holds: boolean; found: string }

/** Undefined: the file has no types. */
export const checkTypes = async (file: string): Promise<TypeFinding | undefined> => {
  if (path.extname(file) !== '.ts') return undefined
  const compiler = compilerOf(file)
  if (compiler === undefined)
    return {
      holds: true,
      found: 'not checked: install typescript beside the file, since Node only removes types',
    }
  const folder = path.dirname(file)
  const place = mkdtempSync(path.join(tmpdir(), 'reprise-types-'))
  const config = path.join(place, 'tsconfig.json')
  writeFileSync(config, JSON.stringify(settingsFor(file)))
  const args = [compiler, '--pretty', 'false', '-p', config]
  const { failed, text } = await new Promise<{ failed: boolean; text: string }>(resolve =>
    execFile(process.execPath, args, { cwd: folder }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, text: `${stdout}${stderr}` }),
    ),
  ).finally(() => rmSync(place, { recursive: true, force: true }))
  if (!failed) return { holds: true, found: 'the compiler beside the file finds no error' }
  const errors = text.split('\n').filter(line => /error TS\d+/.test(line))
  const [first = text.trim()] = errors
  return { holds: false, found: `${first}${errors.length > 1 ? `, and ${errors.length - 1} more` : ''}` }
}
