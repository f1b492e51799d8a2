// The agents in examples/agents, killed at some appends of the server and at some of their own messages. The soak test
// agents-kills takes all of them.
import t from 'tap'
import { killEverywhere } from '../../library/testing/index.ts'
import { stories } from './agents-kills.ts'
import { killWorkerEverywhere, workerStories } from './worker-kills.ts'

for (const [name, story] of Object.entries(stories))
  t.test(`${name}: the end is the same, and everything outside happens once`, async t => {
    const { result, kills } = await killEverywhere(story, { every: 5 })
    t.ok(kills >= 4, `${kills} kills`)
    const { posts } = result as { posts?: string[] }
    if (posts !== undefined) t.equal(posts.length, new Set(posts).size, posts.join())
  })

for (const [name, { skip, tell }] of Object.entries(workerStories))
  t.test(`${name}: the end is the same, and everything outside happens once`, { skip }, async t => {
    const { kills } = await killWorkerEverywhere(tell, 20)
    t.ok(kills >= 3, `${kills} kills`)
  })
