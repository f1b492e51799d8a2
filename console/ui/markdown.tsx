// A text as Markdown: headings, lists, tables, code, links. Elements are made only for what is in the tables below, so
// nothing that somebody writes into a message becomes HTML.
import type { Token } from 'markdown-it'
import { Component, type ComponentChild, type ComponentChildren, h } from 'preact'
import { useRef } from 'preact/hooks'
import { Code } from './code.tsx'
import { type Block, type Blocks, blocksOf, steady } from './markdown-blocks.ts'
import { Image, Outside } from './outside.tsx'
import { Scrolling } from './scrolling.tsx'

/** A token with what is between its beginning and its end. */
type Node = { token: Token; inner: Node[] }

const treeOf = (tokens: readonly Token[]): Node[] => {
  const root: Node[] = []
  const open: Node[][] = [root]
  for (const token of tokens) {
    if (token.nesting < 0) {
      open.pop()
      continue
    }
    const node: Node = { token, inner: token.children === null ? [] : treeOf(token.children) }
    open.at(-1)?.push(node)
    if (token.nesting > 0) open.push(node.inner)
  }
  return root
}

const elements = new Set('ul ol li blockquote em strong s thead tbody tr'.split(' '))

const shown = (nodes: readonly Node[]): ComponentChild[] => nodes.map(show)

const aligned = ({ attrs }: Token): object => {
  const style = attrs?.find(([name]) => name === 'style')?.[1]
  const side = /^text-align:(left|center|right)$/.exec(String(style))?.[1]
  return side === undefined ? {} : { class: `to-${side}` }
}

/** A cell without a text heads nothing. */
const isEmpty = (cell: readonly Node[]): boolean => cell.every(({ token }) => token.content.trim() === '')

const show = ({ token, inner }: Node, key: number): ComponentChild => {
  const { type, tag, content, info, hidden } = token
  switch (type) {
    case 'text':
    case 'text_special':
      return content
    case 'softbreak':
    case 'hardbreak':
      return <br key={key} />
    case 'inline':
      return shown(inner)
    case 'paragraph_open':
      return hidden ? shown(inner) : <p key={key}>{shown(inner)}</p>
    case 'code_inline':
      return <code key={key}>{content}</code>
    case 'code_block':
    case 'fence':
      return <Code key={key} code={content.replace(/\n$/, '')} language={info.trim().split(/\s+/)[0] ?? ''} />
    case 'hr':
      return <hr key={key} />
    case 'heading_open':
      // All are of one level, below those of the page: a message may begin with any level.
      return (
        <h3 key={key} class={`size-${tag.slice(1)}`}>
          {shown(inner)}
        </h3>
      )
    case 'link_open':
      return (
        <Outside key={key} url={String(token.attrGet('href') ?? '')}>
          {shown(inner)}
        </Outside>
      )
    case 'image':
      return <Image key={key} url={String(token.attrGet('src') ?? '')} alt={content} />
    case 'table_open':
      return (
        <Scrolling key={key} class="scroll" label="Table">
          <table class="block">{shown(inner)}</table>
        </Scrolling>
      )
    case 'th_open':
    case 'td_open':
      return h(isEmpty(inner) ? 'td' : tag, { key, ...aligned(token) }, shown(inner))
    case 'ordered_list_open':
      return (
        <ol key={key} start={Number(token.attrGet('start') ?? 1)}>
          {shown(inner)}
        </ol>
      )
    default:
      return elements.has(tag) ? h(tag, { key }, shown(inner)) : content
  }
}

/** A block is drawn once. It is drawn again only when it is another object. */
class BlockOf extends Component<{ block: Block }> {
  override shouldComponentUpdate({ block }: { block: Block }): boolean {
    return block !== this.props.block
  }
  render({ block }: { block: Block }): ComponentChildren {
    return shown(treeOf(block.tokens))
  }
}

/** The blocks of a text; undefined: it is too long to be rendered. */
export const useBlocks = (text: string, isGrowing: boolean): Blocks | undefined => {
  const before = useRef<Blocks | undefined>(undefined)
  before.current = blocksOf(isGrowing ? steady(text) : text, before.current)
  return before.current
}

/** A text as somebody wrote it. */
export const Plain = ({ text }: { text: string }) => <p class="plain">{text}</p>

/** `isGrowing`: more of the text will come. */
export const Markdown = ({ text, isGrowing = false }: { text: string; isGrowing?: boolean }) => {
  const found = useBlocks(text, isGrowing)
  return (
    <div class="prose">
      {found === undefined ? (
        <Plain text={text} />
      ) : (
        found.blocks.map((block, n) => <BlockOf key={n} block={block} />)
      )}
    </div>
  )
}
