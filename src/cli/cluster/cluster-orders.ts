// reprise cluster drain, move and forget: orders to the nodes of a cluster.
import { NodeRefused } from '../../cluster/gateway/ask-node.ts'
import { type Surveyed, survey } from '../../cluster/survey.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { called } from '../terminal/called.ts'
import { NoAnswer, NotReached } from '../terminal/exit.ts'
import { type Common, openTerminal } from '../terminal/terminal.ts'
import { openAsk, placesOf, type Where } from './cluster-status.ts'

/** Milliseconds for which nodes leave the log to the node that a move names, if nothing ends that before. */
const leaveMs = 15_000
/** Milliseconds that a node has to become the owner, and milliseconds between two looks. */
const patienceMs = 20_000
const lookMs = 100

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** `node`: the name of the node that has obeyed. `was`: what it was before. */
type Obeyed = { node: string; was: string }

/** Gives a node an order. Rejects with NoAnswer when it refuses, with its reason, and with NotReached. */
const order = async (url: string, path: string): Promise<Obeyed> => {
  try {
    return JSON.parse((await openAsk()(url, { method: 'POST', path })).bytes.toString())
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error }
    if (!(error instanceof NodeRefused))
      throw new NotReached(`the node at ${url} does not answer: ${cause?.message || message}`)
    const [, status, body = ''] = /^(\d+) (.*)$/s.exec(message) ?? []
    if (status === '409') throw new NoAnswer((JSON.parse(body) as { message: string }).message)
    throw new NotReached(
      `the server at ${url} does not take orders: it is no node of this cluster, has another key, or its clock differs`,
    )
  }
}

const look = async (where: Where): Promise<Surveyed[]> => {
  const { places, told } = placesOf(where)
  if (places.length + told.length === 0)
    throw new CannotStart('no node is known here: run this on the machine of a node, or give --node URL')
  return survey({ ask: openAsk(), now: Date.now }, places, told)
}
const nodeNamed = (nodes: Surveyed[], name: string): Surveyed | undefined =>
  nodes.find(({ node }) => node === name)
const isOwner = ({ state, role }: Surveyed): boolean => state === 'answers' && role === 'owner'
const ownerIn = (nodes: Surveyed[]): Surveyed | undefined => nodes.find(one => isOwner(one) && one.ready)
/** The node that gives the log away, also when it is not ready: then a move is needed most. */
const giverIn = (nodes: Surveyed[]): Surveyed | undefined => ownerIn(nodes) ?? nodes.find(isOwner)

/** Waits until a node other than `former` owns the log, or the node `to`. Undefined: that takes too long. */
const newOwner = async (where: Where, isWanted: (name: string) => boolean): Promise<string | undefined> => {
  for (const end = performance.now() + patienceMs; performance.now() < end; await pause(lookMs)) {
    const name = ownerIn(await look(where))?.node
    if (name !== undefined && isWanted(name)) return name
  }
  return undefined
}

type DrainOptions = Common & { node?: string; off?: true }

export const drain = async ({ node: given, off, ...options }: DrainOptions): Promise<void> => {
  const printer = openTerminal(options)
  const where: Where = given === undefined ? {} : { node: [given] }
  const url = placesOf(where).places[0]?.url
  if (url === undefined)
    throw new CannotStart(
      'no node runs in this folder: run this on the machine of a node, or give --node URL',
    )
  const { node: name, was } = await order(url, off ? '/cluster/undrain' : '/cluster/drain')
  const owner = was === 'owner' ? await newOwner(where, other => other !== name) : undefined
  if (was === 'owner' && owner === undefined)
    throw new NoAnswer(
      `${name} has given the log up, and no other node has taken it: ${called} cluster status`,
    )
  const words = off
    ? `${name} may take over again (it was ${was})`
    : owner === undefined
      ? `${name} is drained: it stays a standby, and does not take over`
      : `${name} is drained: ${owner} owns the log now`
  await printer.rows([
    options.json ? JSON.stringify({ node: name, drained: !off, ...(owner && { owner }) }) : words,
  ])
}

type NamedOptions = Common & Where

export const move = async (name: string, { node, ...options }: NamedOptions): Promise<void> => {
  const printer = openTerminal(options)
  const where: Where = node === undefined ? {} : { node }
  const nodes = await look(where)
  const wanted = nodeNamed(nodes, name)
  if (wanted === undefined)
    throw new NoAnswer(`no node ${name} is known: ${called} cluster status lists them`)
  if (wanted.state !== 'answers') throw new NoAnswer(`${name} does not answer: ${wanted.why}`)
  await order(wanted.url, '/cluster/undrain')
  const owner = giverIn(nodes)
  const others = nodes.filter(
    one => one.state === 'answers' && one.role === 'standby' && one.node !== name && one !== owner,
  )
  const isThere = owner?.node === name
  const begun = performance.now()
  if (!isThere) {
    if (owner === undefined)
      throw new NoAnswer('no node that answers owns the log: a node takes it by itself')
    for (const { url } of others) await order(url, `/cluster/drain?ms=${leaveMs}`)
    try {
      await order(owner.url, `/cluster/drain?node=${encodeURIComponent(name)}&ms=${leaveMs}`)
      const now = await newOwner(where, found => found === name)
      if (now === undefined) throw new NoAnswer(`${name} has not become the owner: ${called} cluster status`)
    } finally {
      for (const { url } of [...others, owner]) await order(url, '/cluster/undrain').catch(() => {})
    }
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  const words = isThere ? `${name} owns the log already` : `${name} owns the log now, after ${seconds} s`
  await printer.rows([options.json ? JSON.stringify({ owner: name, moved: !isThere }) : words])
}

export const forget = async (name: string, { node, ...options }: NamedOptions): Promise<void> => {
  const printer = openTerminal(options)
  const nodes = await look(node === undefined ? {} : { node })
  if (nodeNamed(nodes, name)?.state === 'answers')
    throw new NoAnswer(`${name} answers: stop it first, or it would be listed again at once`)
  // The owner first: the others ask it which nodes it knows.
  const answering = nodes
    .filter(({ state }) => state === 'answers')
    .sort((a, b) => Number(b.role === 'owner') - Number(a.role === 'owner'))
  if (answering.length === 0) throw new NotReached('no node answers: start one')
  let wasKnown = false
  for (const { url } of answering)
    if ((await order(url, `/cluster/forget?node=${encodeURIComponent(name)}`)).was === 'known')
      wasKnown = true
  if (!wasKnown) throw new NoAnswer(`no node knows a node ${name}`)
  await printer.rows([options.json ? JSON.stringify({ forgotten: name }) : `${name} is no longer listed`])
}
