// What a kind of actor is to the runtime: how one of them behaves, and the mailboxes that it can reach.
import type { NewEvent, Recorded, StreamAppend } from '../../src/contract/stored.ts'
import type { Inspect, Live } from './live.ts'

/** What is particular to one kind of actor. It lives as long as the actor is in memory. */
export type Behaviour<View, Command> = {
  view: View
  /** Starts the XState actor that goes along with it, where the folded events have led. */
  run(inspect: Inspect | undefined): Live
  /** Folds one event of the stream, stored or just appended. */
  evolve(event: Recorded): void
  /** Whether a command can be decided now; else it stays in the mailbox until a later turn. */
  isReady?(command: Command): boolean
  /** A command that must be decided before this one. */
  first?(command: Command): Command | undefined
  /** Chooses events or throws a Refusal; none is an answer too. `made`: new streams, begun in the same append. */
  decide(command: Command): { events: NewEvent[]; made: StreamAppend[] }
  /** Whose events these are, asked after `decide`. */
  envelope(
    command: Command,
    events: NewEvent[],
  ): Omit<StreamAppend, 'stream' | 'expectedRevision' | 'justMade' | 'events'>
  /** Keeps in memory what a decided command changes and the log does not hold, once its events are stored. */
  remember?(command: Command): void
  /** Starts or stops the difference between what the view wants running and what runs. */
  reconcile(): void
  /** `busy`: something runs; `idle`: it may leave memory; `ended`: it should. */
  rest(): 'busy' | 'idle' | 'ended'
  /** Stops what runs, and stores nothing. */
  stop(): void
}

export type Kind<View, Command> = (
  stream: string,
  /** Where its effects report to it. */
  own: Mailbox<View, Command>,
  /** Where it speaks to other actors of its kind. */
  others: Mailboxes<View, Command>,
) => Behaviour<View, Command>

/** The mailbox of one actor, for its own effects. */
export type Mailbox<View, Command> = {
  /** Sends a report for which no caller waits; never rejects. */
  tell(command: Command): Promise<void>
  /** Sends a command and waits for its turn; rejects when the turn does. */
  ask(command: Command): Promise<View>
}

/** The mailboxes of all actors of one kind, by stream. */
export type Mailboxes<View, Command> = {
  /** One turn: the view after it. Rejects with a Refusal or the log's failure. */
  ask(stream: string, command: Command, isNew?: boolean): Promise<View>
  /** Resolves once the view answers `done` with yes, now or after a later turn. */
  until(stream: string, done: (view: View) => boolean): Promise<View>
}
