// The agents in examples/agents, killed at every append of the server and at every message of theirs: the end is the same, and
// everything outside happens once.
import { killEverywhere } from '../../library/testing/index.ts'
import { stories } from '../examples/agents-kills.ts'

for (const [name, story] of Object.entries(stories)) {
  const { kills } = await killEverywhere(story)
  console.log(`agents-kills: ${name} ended the same after each of ${kills} kills`)
}
