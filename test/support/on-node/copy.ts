// A copy of the working tree with its own packages, so that the packages of the working tree stay as they are.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Folders at the top of the working tree that are not copied. */
const notSources = new Set(['.git', '.node', '.tap', 'coverage', 'data', 'dist', 'node_modules'])

/** Makes the sources in `copy` equal to those in `root`. */
export const copySources = (root: string, copy: string): void => {
  mkdirSync(copy, { recursive: true })
  for (const name of readdirSync(copy))
    if (!notSources.has(name)) rmSync(path.join(copy, name), { recursive: true })
  for (const name of readdirSync(root))
    if (!notSources.has(name)) cpSync(path.join(root, name), path.join(copy, name), { recursive: true })
}

/** Calls `install` to install the packages, unless they are installed for this Node and this lock file. */
export const havePackages = (copy: string, node: string, install: () => void): void => {
  const marker = path.join(copy, 'node_modules/.installed-for')
  const wanted = `${node}\n${readFileSync(path.join(copy, 'package-lock.json'), 'utf8')}`
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return
  install()
  writeFileSync(marker, wanted)
}
