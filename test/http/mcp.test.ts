import * as NodeApiServer from "@tocsin/adapters-http/internal/server/NodeApiServer"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "@tocsin/testing/internal/contract/EffectTest"
import { apiServer, headersOf } from "./api-client.ts"

describe("x", () => {
  for (const mode of ["auto", "legacy"] as const)
  it.effect("y" + mode, () =>
    Effect.gen(function* () {
      const { url } = yield* NodeApiServer.NodeApiServer
      const headers = yield* headersOf("acme")
      yield* Effect.promise(async () => {
        const client = new Client({ name: "t", version: "1" }, mode === "auto" ? { versionNegotiation: { mode: "auto" } } as never : {})
        await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`), { requestInit: { headers } }))
        console.log(client.getServerVersion(), client.getNegotiatedProtocolVersion?.(), client.getInstructions())
        console.log(JSON.stringify(await client.listTools(), null, 1))
        console.log(JSON.stringify(await client.callTool({ name: "list_slos", arguments: {} })))
        console.log(JSON.stringify(await client.callTool({ name: "list_slos", arguments: { projct: 1, limit: "x" } })))
        console.log(await client.callTool({ name: "nope", arguments: {} }).catch((e) => String(e)))
        await client.close()
      })
      expect(1).toBe(1)
    }).pipe(Effect.provide(apiServer)),
  )
})
