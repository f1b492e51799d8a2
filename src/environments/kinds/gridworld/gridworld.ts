// A grid world with walls, keys and locked doors. The agent sees the cells near it and looks for the goal.
import type {
  Environment,
  EnvironmentClass,
  OpenObject,
  Recovery,
  StepContext,
  StepResult,
} from '../../../contract/environment.ts'
import { toolbox } from '../shared/toolbox.ts'
import {
  cellAt,
  type Direction,
  directions,
  type GridMap,
  gridText,
  isDoor,
  isKey,
  nameOf,
  next,
  type Spot,
  setCell,
  withAgent,
} from './map.ts'
import { mapOf, parameters, settingsOf } from './settings.ts'

type Episode = {
  seed: number
  map: GridMap
  agent: Spot
  direction: Direction
  carrying: string[]
  steps: number
  maxSteps: number
  viewRadius: number
  terminated: boolean
  truncated: boolean
}

/** The square of cells around the agent that the agent sees. */
const viewOf = ({ map, agent, viewRadius }: Episode): string[][] => {
  const span = Array.from({ length: 2 * viewRadius + 1 }, (_, index) => index - viewRadius)
  return span.map(down =>
    span.map(right =>
      down === 0 && right === 0 ? '@' : cellAt(map, { x: agent.x + right, y: agent.y + down }),
    ),
  )
}

const observationOf = (episode: Episode): OpenObject => {
  const { agent, direction, carrying, steps, maxSteps, map } = episode
  const view = viewOf(episode)
  return {
    agent: { ...agent },
    direction,
    standing_on: nameOf(cellAt(map, agent)),
    carrying: [...carrying],
    view: { text: gridText(view), grid: view.map(row => row.map(nameOf)) },
    steps,
    steps_left: maxSteps - steps,
  }
}

export class GridWorld implements Environment {
  static readonly recovery: Recovery = 'refold'
  static readonly description =
    'A grid world: find the goal on a map of which only the surroundings are seen, with keys for locked doors. ' +
    'Maps are made from the seed and can always be solved.'
  static readonly parameters = parameters

  readonly #kwargs: OpenObject
  #episode: Episode | undefined

  constructor(kwargs: OpenObject) {
    this.#kwargs = kwargs
    mapOf(settingsOf(kwargs), 0) // an invalid map is an error of the create, not of the first reset
  }

  readonly #tools = toolbox({
    move: {
      description:
        'Moves one cell. A wall or a locked door is not passed; a locked door opens for who carries its key ' +
        '(key a opens door A).',
      required: {
        direction: {
          type: 'string',
          enum: Object.keys(directions),
          description: 'north is up on the map, east is right.',
        },
      },
      run: ({ direction }) => this.#act(episode => this.#move(episode, direction as Direction)),
    },
    pick_up: {
      description: 'Picks up the key that lies on the cell where the agent stands.',
      run: () => this.#act(episode => this.#pickUp(episode)),
    },
    look: {
      description: 'Looks around without moving. Takes a step, as everything does.',
      run: () => this.#act(() => 'You look around.'),
    },
  })

  reset(seed: number, options: OpenObject): OpenObject {
    const settings = settingsOf({ ...this.#kwargs, ...options })
    const map = mapOf(settings, seed)
    const cells = map.cells.length * (map.cells[0]?.length ?? 0)
    this.#episode = {
      seed,
      map,
      agent: map.start,
      direction: 'east',
      carrying: [],
      steps: 0,
      maxSteps: settings.max_steps ?? 4 * cells,
      viewRadius: settings.view_radius,
      terminated: false,
      truncated: false,
    }
    return observationOf(this.#episode)
  }

  step(tool: string, args: OpenObject, context: StepContext): StepResult | Promise<StepResult> {
    return this.#tools.call(tool, args, context)
  }

  observe(): OpenObject {
    const episode = this.#current()
    const { seed, map, maxSteps, viewRadius, terminated, truncated } = episode
    const rows = withAgent(map, episode.agent)
    return {
      ...observationOf(episode),
      text: gridText(rows),
      width: rows[0]?.length ?? 0,
      height: rows.length,
      seed,
      max_steps: maxSteps,
      view_radius: viewRadius,
      terminated,
      truncated,
    }
  }

  tools() {
    return this.#tools.definitions()
  }

  close(): void {
    this.#episode = undefined
  }

  #current(): Episode {
    if (this.#episode === undefined) throw new Error('There is no episode: reset comes first')
    return this.#episode
  }

  #act(action: (episode: Episode) => string): StepResult {
    const episode = this.#current()
    if (episode.terminated || episode.truncated) throw new Error('The episode is over: reset it')
    const message = action(episode)
    episode.steps++
    episode.terminated = cellAt(episode.map, episode.agent) === 'G'
    episode.truncated = !episode.terminated && episode.steps >= episode.maxSteps
    const { terminated, truncated, steps, maxSteps } = episode
    const end = terminated ? ' You have reached the goal.' : truncated ? ' There are no steps left.' : ''
    return {
      content: `${message}${end}\n\n${gridText(viewOf(episode))}`,
      observation: observationOf(episode),
      reward: terminated ? 1 - (0.9 * steps) / maxSteps : 0,
      terminated,
      truncated,
    }
  }

  #move(episode: Episode, direction: Direction): string {
    const { map, carrying } = episode
    episode.direction = direction
    const there = next(episode.agent, direction)
    const cell = cellAt(map, there)
    if (cell === '#') return `A wall is in the way, ${direction} of you.`
    const isLocked = isDoor(cell)
    if (isLocked && !carrying.includes(cell.toLowerCase())) {
      return `Door ${cell} is locked: it needs key ${cell.toLowerCase()}.`
    }
    if (isLocked) setCell(map, there, '.')
    episode.agent = there
    const seen = isKey(cell) ? ` Key ${cell} lies here.` : ''
    return `You ${isLocked ? `open door ${cell} and ` : ''}move ${direction}.${seen}`
  }

  #pickUp(episode: Episode): string {
    const { map, agent, carrying } = episode
    const cell = cellAt(map, agent)
    if (!isKey(cell)) return 'There is no key here.'
    carrying.push(cell)
    setCell(map, agent, '.')
    return `You pick up key ${cell}.`
  }
}

export default GridWorld satisfies EnvironmentClass
