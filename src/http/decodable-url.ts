// A path that cannot be decoded is read as it is written, so that an id with a wrong percent sign is the id of nothing,
// as every other odd id is.

/** The URL of a request, with a path that can be decoded. */
export const decodableUrl = (url: string): string => {
  const [path = '', ...query] = url.split('?')
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?')
  }
}
