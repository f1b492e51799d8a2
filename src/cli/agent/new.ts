// reprise agent new: writes the file of an agent that runs as it is.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { problemOfName, readAgentFolder, ruleOfNames } from '../../agent-hosts/folder.ts'
import { builtinNames } from '../../agents/names.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { shellWord } from '../../platform/shell-word.ts'
import { print } from '../server/ask.ts'
import { called } from '../terminal/called.ts'
import { templates } from './templates.ts'

type Options = { python?: true; machine?: true; folder: string; json?: true }

/** A file of the folder that is the agent of this name already. */
const sameIn = (folder: string, name: string): string | undefined =>
  existsSync(folder)
    ? readAgentFolder(folder, builtinNames).agents.find(agent => agent.name === name)?.file
    : undefined

export const newAgent = async (name: string, { python, machine, folder, json }: Options): Promise<void> => {
  if (python && machine)
    throw new CannotStart('--python and --machine exclude each other: a statechart is a file of JavaScript')
  const { ending, text } = templates[python ? 'python' : machine ? 'machine' : 'function']
  const base = `${name}${ending}`
  if (problemOfName(name, builtinNames) !== undefined)
    throw new CannotStart(
      builtinNames.has(name)
        ? `${name} is a built-in agent: choose another name`
        : `an agent cannot have the name ${JSON.stringify(name)}: ${ruleOfNames}`,
    )
  const file = path.join(folder, base)
  const same = sameIn(folder, name)
  if (same !== undefined)
    throw new CannotStart(`${same} is the agent ${name} already: choose another name, or remove this file`)
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(file, text(name), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new CannotStart(`${file} is there already: choose another name, or remove this file`)
  }
  if (json) return print(JSON.stringify({ agent: name, file }))
  print(file)
  process.stderr.write(
    `check it: ${called} agent check ${shellWord(file)}\nrun it:   ${called} dev ${shellWord(folder)}\n`,
  )
}
