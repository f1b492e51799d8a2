// Runs a statechart on `ctx`, so that it is a function of the journal like any other agent. XState computes the moves with its
// pure functions; what a state invokes, its delays and the messages of the user are calls of `ctx`.
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  fromPromise,
  getNextTransitions,
  initialTransition,
  transition,
} from 'xstate'
import type { MachineState } from '../../../src/contract/code-agent.ts'
import { longestContext } from '../limits.ts'
import { plainJson } from '../plain-json.ts'
import type { Chart, Content, Context, MachineRun, Message, ModelOptions } from '../types.ts'
import { nodesOf } from './problems.ts'
import { type Source, sourceOf } from './sources.ts'

type Action = {
  type: string
  params: unknown
  info: unknown
  exec?: (info: unknown, params: unknown) => void
}
type Raised = { event: AnyEventObject; id?: string; delay?: number }
type Sent = Raised & { to: unknown }
type Invoked = { src: string; input: unknown; actorRef?: { id: string } }

/** Events of the user: those that XState makes itself are none. */
const eventsOf = (snapshot: AnyMachineSnapshot): string[] => {
  const types = getNextTransitions(snapshot).map(({ eventType }) => String(eventType))
  return [...new Set(types)].filter(type => type !== '' && !type.startsWith('xstate.'))
}

const stateOf = (snapshot: AnyMachineSnapshot): MachineState => {
  const context = plainJson(snapshot.context, 'the context of the chart')
  const bytes = Buffer.byteLength(JSON.stringify(context))
  if (bytes > longestContext)
    throw new TypeError(
      `the context of the chart has ${bytes} bytes of JSON, more than ${longestContext}: store such data elsewhere, and keep its name`,
    )
  return { value: snapshot.value, context, next_events: eventsOf(snapshot) }
}

/** Calls what a state invokes. */
const callOf = (
  ctx: Context,
  source: Source,
  input: unknown,
  runs: Readonly<Record<string, MachineRun>>,
  signal: AbortSignal,
): Promise<unknown> => {
  switch (source.does) {
    case 'model': {
      if (typeof input === 'string') return ctx.model(input, { signal })
      const { prompt, messages, ...options } = (input ?? {}) as ModelOptions & {
        prompt?: string
        messages?: readonly Message[]
      }
      return ctx.model((messages ?? prompt) as string, { ...options, signal })
    }
    case 'tool':
      return ctx.tool(source.name, (input ?? {}) as object, { signal })
    case 'ask':
      return ctx.ask(source.name, (input ?? {}) as object, { signal })
    case 'agent': {
      if (typeof input === 'string' || Array.isArray(input))
        return ctx.agent(source.name, input, {}, { signal })
      const { input: asked, config } = (input ?? {}) as { input: Content; config?: object }
      return ctx.agent(source.name, asked, config, { signal })
    }
    case 'run': {
      const { name, fn = given => runs[name]?.(given.input as never, given) } = source
      return ctx.run(name, given => fn({ input, signal: given.signal }), { signal })
    }
  }
}

/** Resolves with the output of the chart. `moved` gets the state after each move. */
export const interpret = (
  chart: Chart,
  runs: Readonly<Record<string, MachineRun>>,
  ctx: Context,
  moved: (state: MachineState) => void,
): Promise<unknown> => {
  const given = chart as unknown as AnyStateMachine
  const sources = new Map<string, Source>()
  const invokes = nodesOf(given.root).flatMap(({ invoke }) => invoke)
  const invoked = new Set(invokes.map(({ id }) => String(id)))
  for (const { src } of invokes) {
    const source = sourceOf(given, String(src), Object.keys(runs))
    if (typeof source !== 'string') sources.set(String(src), source)
  }
  // Each source needs some logic, or XState does not know it. The logic never starts.
  const idle = fromPromise(() => new Promise(() => {}))
  const machine = given.provide({ actors: Object.fromEntries([...sources.keys()].map(src => [src, idle])) })

  return new Promise((resolve, reject) => {
    let snapshot: AnyMachineSnapshot
    let isDone = false
    let isListening = false
    let isMoving = false
    let timers = 0
    const events: AnyEventObject[] = []
    /** What is invoked and what waits, by id. */
    const running = new Map<string, AbortController>()

    const stop = (key: string) => {
      running.get(key)?.abort(new Error('the state was left'))
      running.delete(key)
    }
    /** Starts a call that ends with an event, or when `key` is stopped. */
    const start = (key: string, call: (signal: AbortSignal) => Promise<AnyEventObject>) => {
      stop(key)
      const controller = new AbortController()
      running.set(key, controller)
      call(controller.signal).then(event => {
        if (controller.signal.aborted) return
        running.delete(key)
        take(event)
      }, reject)
    }
    const wait = ({ event, id, delay = 0 }: Raised) =>
      start(`after ${id ?? timers++}`, async signal => {
        await ctx.sleep(Math.max(0, delay), { signal }).catch(error => {
          if (!signal.aborted) throw error
        })
        return event
      })
    const invoke = ({ src, input, actorRef }: Invoked) => {
      const source = sources.get(src)
      if (source === undefined || actorRef === undefined)
        throw new Error(`the machine ${machine.id} spawns “${src}”: invoke it in a state`)
      const { id: actorId } = actorRef
      start(`invoke ${actorId}`, signal =>
        callOf(ctx, source, input, runs, signal).then(
          output => ({ type: `xstate.done.actor.${actorId}`, output, actorId }),
          error => ({ type: `xstate.error.actor.${actorId}`, error, actorId }),
        ),
      )
    }
    const perform = ({ type, params, info, exec }: Action) => {
      switch (type) {
        case 'xstate.spawnChild':
          return invoke(params as Invoked)
        case 'xstate.stopChild':
          return stop(`invoke ${(params as { id: string } | undefined)?.id}`)
        case 'xstate.raise':
          if ((params as Raised).delay !== undefined) wait(params as Raised)
          return
        case 'xstate.cancel':
          return stop(`after ${(params as { sendId: string }).sendId}`)
        case 'xstate.sendTo': {
          const { to, event, id, delay } = params as Sent
          if ((to as { src?: unknown } | undefined)?.src !== machine)
            throw new Error(
              `the machine ${machine.id} sends “${event.type}” to another actor, which cannot be stored`,
            )
          if (delay === undefined) events.push(event)
          else wait({ event, delay, ...(id === undefined ? {} : { id }) })
          return
        }
        case 'xstate.emit':
          return
        default:
          exec?.(info, params)
      }
    }
    const listen = () => {
      isListening = true
      ctx.message().then(({ id, text, content, event }) => {
        isListening = false
        take(event ?? { type: 'message', id, text, content })
      }, reject)
    }
    const arrive = ([next, actions]: [AnyMachineSnapshot, unknown[]]) => {
      snapshot = next
      if (snapshot.status === 'error') throw snapshot.error
      const spawned = Object.keys(snapshot.children).find(id => !invoked.has(id))
      if (spawned !== undefined)
        throw new Error(`the machine ${machine.id} spawns “${spawned}”: invoke it in a state`)
      for (const action of actions) perform(action as Action)
      const state = stateOf(snapshot)
      moved(state)
      if (snapshot.status === 'done') {
        isDone = true
        return resolve(snapshot.output)
      }
      if (!isListening && state.next_events.length > 0) listen()
    }
    const take = (event: AnyEventObject) => {
      events.push(event)
      move(() => {})
    }
    /** Moves until no event is left. */
    const move = (first: () => void) => {
      if (isMoving || isDone) return
      isMoving = true
      try {
        first()
        for (let event = events.shift(); event !== undefined && !isDone; event = events.shift())
          arrive(transition(machine, snapshot, event as never))
      } catch (error) {
        isDone = true
        reject(error)
      } finally {
        isMoving = false
      }
    }
    const { text, content, items } = ctx.input
    move(() => arrive(initialTransition(machine, { text, content, items, config: ctx.config } as never)))
  })
}
