// reprise audit: changes the key that signs checkpoints. It asks the running server or, if there is none, opens the
// data folder.
import { readConfig } from '../../config.ts'
import { openFolder } from '../../shard/opening/open-folder.ts'
import { mustHaveLog } from '../log/folder.ts'
import { createReport } from '../terminal/report.ts'
import { askServer, urlOfServer } from './server.ts'

type Changed = { key: string; first_size: number }

export const rotateKey = async (options: { json?: true }): Promise<void> => {
  const config = readConfig(process.env)
  const rotateHere = async (): Promise<Changed> => {
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
  const url = urlOfServer(config)
  const changed =
    url === undefined
      ? await rotateHere()
      : ((await (await askServer(config, url, 'POST', '/v1/audit/rotate-key')).json()) as Changed)
  process.stdout.write(
    options.json ? `${JSON.stringify(changed)}\n` : `${changed.key} ${changed.first_size}\n`,
  )
}
