/** A header of a request. */
export interface Header {
  readonly name: string
  readonly value: string
}

/** A request as a receiver got it. */
export interface ReceivedRequest {
  /** The URL of the alert method, which the console does not know. */
  readonly url: string
  readonly headers: ReadonlyArray<Header>
  readonly body: string
}

/** The value of a header, whatever the case of its name. */
export const headerOf = (headers: ReadonlyArray<Header>, name: string): string | undefined =>
  headers.find((each) => each.name.toLowerCase() === name.toLowerCase())?.value

/** The text as one word of a POSIX shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A command that sends a request again, byte for byte, to another URL. */
export const curlCommand = ({ url, headers, body }: ReceivedRequest): string =>
  [
    `curl -i -X POST ${shellWord(url)}`,
    ...headers.map(({ name, value }) => `-H ${shellWord(`${name}: ${value}`)}`),
    `--data-raw ${shellWord(body)}`,
  ].join(" \\\n  ")
