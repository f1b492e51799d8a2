// Makes URLs decodable: a path that cannot be decoded is read as it is written. So an id with a wrong percent sign gets
// the same answer as any other id that does not exist.

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
