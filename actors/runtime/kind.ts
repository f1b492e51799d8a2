// What the runtime needs to know about a kind of actor: its behaviour, and the mailboxes that it uses.
import type { Log, NewEvent, Recorded, StreamAppend } from '../../src/contract/stored.ts'
import type { Inspect, Live } from './live.ts'

/**
 * The events of a command, possibly none. `made`: new actors of this kind that begin in the same append. `beside`: new
 * streams of another kind in the same append. Their actors begin when they are needed.
 */
export type Decision = { events: NewEvent[]; made: StreamAppend[]; beside?: StreamAppend[] }

/** The behaviour of one actor of a kind. It lives as long as the actor is in memory. */
export type Behaviour<View, Command> = {
  view: View
  /** Starts the accompanying XState actor in the state to which the folded events have led. */
  run(inspect: Inspect | undefined): Live
  /**
   * Takes the view from a saved fold of the stream, and returns the revision of the last event that the fold contains;
   * -1 when there is none. Called once, before any event. Absent: the kind has no saved folds.
   */
  restore?(log: Pick<Log, 'readStream' | 'revisionOf'>): Promise<number>
  /** Folds one event of the stream into the view, and does nothing else: the event may not be durable yet. */
  evolve(event: Recorded): void
  /** Called once for each event of the stream when it is durable. */
  stored?(event: Recorded): void
  /** Whether a command can be decided now; else it stays in the mailbox until a later turn. */
  isReady?(command: Command): boolean
  /** Returns a command that must be decided before the given command; undefined: there is none. */
  first?(command: Command): Command | undefined
  /** Returns the events of a command, or throws a Refusal. */
  decide(command: Command): Decision
  /**
   * Returns a command that must be decided right after the first events of a new stream; undefined: there is none.
   * These events are not durable yet, so nothing that acts outside this process may begin here.
   */
  next?(): Command | undefined
  /** The principal, owner and cause that are stored with the events. Called after `decide`. */
  envelope(
    command: Command,
    events: NewEvent[],
  ): Omit<StreamAppend, 'stream' | 'expectedRevision' | 'justMade' | 'events'>
  /** Called once the events of a command, if any, are stored: updates what the actor keeps in memory only. */
  remember?(command: Command): void
  /** Starts the work that the view wants and that does not run yet; stops work that the view no longer wants. */
  reconcile(): void
  /** `busy`: the actor runs something; `idle`: it may leave memory; `ended`: it should leave memory. */
  rest(): 'busy' | 'idle' | 'ended'
  /** Stops what runs, and stores nothing. */
  stop(): void
}

export type Kind<View, Command> = (
  stream: string,
  /** The actor's own mailbox, for reports of its effects. */
  own: Mailbox<View, Command>,
  /** The mailboxes of the other actors of its kind. */
  others: Mailboxes<View, Command>,
) => Behaviour<View, Command>

/** The mailbox of one actor, for its own effects. */
export type Mailbox<View, Command> = {
  /** Sends a report for which no caller waits; never rejects. */
  tell(command: Command): Promise<void>
  /** Sends a command and waits for its turn; rejects when the turn fails. */
  ask(command: Command): Promise<View>
}

/** The mailboxes of all actors of one kind, by stream. */
export type Mailboxes<View, Command> = {
  /** Sends a command and returns the view after its turn; rejects when the turn fails. `isNew`: a new stream. */
  ask(stream: string, command: Command, isNew?: boolean): Promise<View>
  /** Resolves with the view once `done` returns true for it, now or after a later turn. */
  until(stream: string, done: (view: View) => boolean): Promise<View>
}
