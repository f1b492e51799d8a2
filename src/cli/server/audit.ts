// reprise audit: changes the key that signs checkpoints. It asks a server or, if there is none, opens the data folder.
import { readConfig } from '../../config.ts'
import { openFolder } from '../../shard/opening/open-folder.ts'
import { mustHaveLog } from '../log/folder.ts'
import { createReport } from '../terminal/report.ts'
import type { Asking } from './ask.ts'
import { findServer } from './connection.ts'

type Changed = { key: string; first_size: number }

const rotateHere = async (): Promise<Changed> => {
  const config = readConfig(process.env)
  mustHaveLog(config)
  const { proof, system, children, unlock } = await openFolder(config, createReport(config.logLevel), {
    idle: true,
  })
  try {
    const { key, from } = await proof.signer.rotate({ principal: 'admin', causation: 'command line' })
    return { key: key.text, first_size: from }
  } finally {
    await system.close()
    await children.close()
    unlock()
  }
}

export const rotateKey = async (options: Asking): Promise<void> => {
  const server = findServer(options)
  const { key, first_size } =
    server === undefined
      ? await rotateHere()
      : await server.ask(client => client.request<Changed>({ method: 'POST', path: '/v1/audit/rotate-key' }))
  process.stdout.write(options.json ? `${JSON.stringify({ key, first_size })}\n` : `${key} ${first_size}\n`)
}
