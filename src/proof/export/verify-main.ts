// node verify.mjs [FOLDER] [--key VKEY] [--checkpoint FILE]…: verifies an export. Exit codes: 0 the export fits; 1 it
// does not fit, or no key was given to check its signature; 2 wrong usage, or a file cannot be read.
import { statSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Misfit } from '../misfit.ts'
import { NotProven } from '../not-proven.ts'
import { readVerifierKey } from '../note/keys.ts'
import { exportLines, misfitText, uncheckedKeyText } from './report.ts'
import { verifyFolder } from './verify-folder.ts'

const usage = 'usage: node verify.mjs [FOLDER] [--key VKEY] [--checkpoint FILE]'

const argumentsOf = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { key: { type: 'string' }, checkpoint: { type: 'string', multiple: true } },
  })
  if (positionals.length > 1) throw new Error('name one folder')
  const checkpoints = (values.checkpoint ?? []).map(file => ({ path: file, bytes: statSync(file).size }))
  const key = values.key === undefined ? undefined : readVerifierKey(values.key)
  return { folder: positionals[0] ?? import.meta.dirname, key, checkpoints }
}

const end = (code: number, line: string): never => {
  process.stderr.write(`verify: ${line}\n`)
  process.exit(code)
}

const given = (() => {
  try {
    return argumentsOf()
  } catch (error) {
    return end(2, `${(error as Error).message}; ${usage}`)
  }
})()
try {
  const verified = await verifyFolder({ ...given, folder: path.resolve(given.folder) }, () => {})
  console.log(exportLines(verified).join('\n'))
  if (!verified.isKeyChecked) end(1, uncheckedKeyText(verified.signers))
  console.log('the export fits')
} catch (error) {
  if (error instanceof Misfit) end(1, misfitText(error))
  if (error instanceof NotProven) end(1, error.message)
  end(2, (error as Error).message)
}
