// The agents in examples/agents, killed at every append of the server and at every message of theirs: the end is the same, and
// everything outside happens once. A worker is a process of its own, and is killed at every piece of data of its connection.
import { killEverywhere } from '../../library/testing/index.ts'
import { stories } from '../examples/agents-kills.ts'
import { killWorkerEverywhere, workerStories } from '../examples/worker-kills.ts'

for (const [name, story] of Object.entries(stories)) {
  const { kills } = await killEverywhere(story)
  console.log(`agents-kills: ${name} ended the same after each of ${kills} kills`)
}
for (const [name, { skip, tell }] of Object.entries(workerStories)) {
  if (skip !== false) console.log(`agents-kills: ${name} was left out: ${skip}`)
  else {
    const { kills } = await killWorkerEverywhere(tell)
    console.log(`agents-kills: ${name} ended the same after each of ${kills} kills`)
  }
}
