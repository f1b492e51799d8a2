// The environment variables that programs get.
import { tmpdir } from 'node:os'

/**
 * From the server's variables a program gets only PATH and LANG, since the others may hold secrets. HOME and TMPDIR get
 * other values when the instance of an environment is created.
 */
export const variablesOfPrograms = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  LANG: process.env.LANG ?? 'C.UTF-8',
  HOME: tmpdir(),
  TMPDIR: tmpdir(),
  PYTHONUTF8: '1',
  PYTHONHASHSEED: '0', // Python sets have the same order after each start
  PYTHONDONTWRITEBYTECODE: '1', // Python makes no cache folders beside the operator's modules
})
