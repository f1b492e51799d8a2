// Plays chess in the environment session of its task: it mates when it can, else it captures, else it moves at random.
import { agent } from 'reprise/agent'

export default agent(
  async ctx => {
    for (let n = 0; n < (ctx.config.moves ?? 40); n++) {
      // Each line is a move in two notations, such as "Qxf7# (h5f7)".
      const legal = (await ctx.env.step('legal_moves')).split('\n').map(line => line.split(' ')[0])
      const mates = legal.filter(move => move.endsWith('#'))
      const captures = legal.filter(move => move.includes('x'))
      const [best] = [mates, captures, legal].filter(moves => moves.length > 0)
      // ctx.random and not Math.random: when this code runs again, it must make the same moves.
      const move = best[Math.floor(ctx.random() * best.length)]
      const said = await ctx.env.step('move', { move })
      if (!said.includes('is to move')) return said
    }
    return 'I stop here.'
  },
  {
    description: 'Plays a game of chess.',
    parameters: {
      type: 'object',
      properties: { moves: { type: 'integer', description: 'at most so many' } },
    },
  },
)
