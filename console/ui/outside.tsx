// Links and images that a text names. Anybody may have written the text, so only web addresses can be opened, and
// nothing is loaded from another server before somebody presses the link.
import type { ComponentChildren } from 'preact'

export const Outside = ({ url, children }: { url: string; children: ComponentChildren }) =>
  /^(https?:\/\/|mailto:)/i.test(url) ? (
    <a href={url} title={url} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  )

export const Image = ({ url, alt = '' }: { url: string; alt?: string }) =>
  /^data:image\//i.test(url) ? (
    <img class="picture" src={url} alt={alt === '' ? 'From the task' : alt} />
  ) : (
    <Outside url={url}>
      Image{alt === '' ? '' : ` “${alt}”`} at {url}
    </Outside>
  )
