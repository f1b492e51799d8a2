import t from 'tap'
import { randomStory } from './fuzz.ts'

const first = Number(process.env.SEED ?? 20_260_101)

t.test('random stories with crashes, failing writes and everybody meddling come to their ends', async t => {
  const ends = new Set<string>()
  let crashes = 0
  let resumes = 0
  for (let seed = first; seed < first + 30; seed++) {
    const story = await randomStory(seed)
    t.same(story.problems, [], `seed ${seed}`)
    for (const end of story.ends) ends.add(end)
    crashes += story.crashes
    resumes += story.resumes
  }
  t.ok(crashes > 50)
  // Thirty stories of another seed need not come to an unknown outcome twice.
  t.ok(resumes > 1 || process.env.SEED !== undefined, 'some outcomes were unknown')
  t.ok(ends.has('completed') && ends.has('canceled'))
})
