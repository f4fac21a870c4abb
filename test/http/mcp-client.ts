import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

/** What a tool returned: its text, parsed, and whether it is an error. */
export interface ToolAnswer {
  readonly isError: boolean
  // oxlint-disable-next-line typescript/no-explicit-any -- each tool returns another shape
  readonly json: any
}

/** The revision that a client speaks: `legacy` opens with a handshake, `auto` finds the newest of both. */
export type Revision = "legacy" | "auto"

/** Connects the client of the SDK, with the headers that authenticate it. */
export const connectClient = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  revision: Revision = "auto",
) => {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: revision } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`), { requestInit: { headers } }),
  )
  const call = async (name: string, input: Readonly<Record<string, unknown>> = {}): Promise<ToolAnswer> => {
    const { content, isError } = await client.callTool({ name, arguments: input })
    const [first] = content
    if (content.length !== 1 || first?.type !== "text") throw new Error(JSON.stringify(content))
    return { isError: isError === true, json: JSON.parse(first.text) }
  }
  return { client, call, close: () => client.close() }
}
