// Which test files share a process. To load and compile the server takes a process longer than most test files take
// for their tests, so files of one folder run one after another in one process.
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Files of one folder that share a process, at most. More of them would keep one process running at the end. */
const groupSize = 6
/** The folders whose tests run in the process of the test file. Other tests mostly start processes, and wait for them. */
const sharing = [
  ...['access', 'actors', 'agents', 'bus', 'console', 'contract', 'cron', 'documents', 'env-sessions'],
  ...['environments', 'erasure', 'fairness', 'fake-model', 'group-chat', 'history', 'http', 'json-schema'],
  ...['log', 'mcp', 'models', 'projections', 'proof', 'telemetry', 'tools', 'webhooks'],
]
/** What belongs to a whole process. A file that changes or measures it has a process of its own. */
const ofProcess =
  /\bprocess\.(chdir|emit|env\.\w+ = |exit\b|exitCode|memoryUsage|on\b|once\b|umask)|delete process\.env|syncBuiltinESMExports/

const sharesProcess = (root, file) =>
  sharing.includes(file.split(path.sep)[1]) && !ofProcess.test(readFileSync(path.join(root, file), 'utf8'))

/** Divides test files (paths from `root`) into groups, in their order. A file that runs alone is a group of one. */
export const groupsOf = (root, files) => {
  const groups = []
  const open = new Map()
  for (const file of files) {
    const folder = file.split(path.sep)[1]
    const group = sharesProcess(root, file) ? open.get(folder) : undefined
    if (group !== undefined && group.length < groupSize) group.push(file)
    else {
      const fresh = [file]
      groups.push(fresh)
      if (sharesProcess(root, file)) open.set(folder, fresh)
    }
  }
  return groups
}
