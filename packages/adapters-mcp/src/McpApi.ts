import type { CallToolResult } from "@modelcontextprotocol/server"
import { type Access, hasRole, workFor } from "@tocsin/domain"
import { isObject } from "@tocsin/domain/codec"
import type { RateLimitPolicy } from "@tocsin/domain/rate-limit"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { type CallApi, CallFailed, type CallResponse, errorsOf } from "./McpCall.ts"
import { type ToolArgumentsAreInvalid, tools } from "./McpTools.ts"

/** Maximum number of messages of an organization to the MCP server, per second. */
const mcpMessagesPerSecond = 100

/** Maximum number of characters of a message that has no definitions. */
const mcpMessageMaxCharacters = 65_536

/** Maximum number of characters of the id and the method of a message, and of the name of a tool. */
const mcpTextMaxCharacters = 256

/** What the API has checked and read of a request. */
export interface McpRequest {
  /** Who calls, and with which role. */
  readonly access: Access
  /** The message. */
  readonly json: unknown
  /** The value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Calls an operation of the API with the same access. */
  readonly call: CallApi
  /** The version that assistants are told. */
  readonly version: { readonly product: string }
  /** How the API reports a failure of a use case. */
  readonly statusOf: (failure: { readonly _tag: string }) => {
    readonly status: number
    readonly errors: ReadonlyArray<object>
  }
}

/** A response of the API. */
export type McpResponse = CallResponse

const jsonResponse = (status: number, body: string): McpResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body,
})

/** Failures of tools that the API does not have. */
const mcpErrors = {
  ToolArgumentsAreInvalid: ({ issues }: ToolArgumentsAreInvalid) => {
    const title = "Invalid arguments"
    const [first = { title }, ...rest] = issues.map(({ path, code, message }) => ({
      title,
      code,
      detail: message,
      ...(path !== "" && { source: { propertyName: path } }),
    }))
    return { status: 400, errors: [first, ...rest] as const }
  },
}

const mcpPolicy: RateLimitPolicy = { name: "mcp", limit: mcpMessagesPerSecond, windowMs: 1_000 }

/**
 * The Model Context Protocol over streamable HTTP, for agents and assistants (spec/mcp). Every request stands alone: there are no
 * sessions and no streams, so that any server can respond to any request.
 */
export const mcpApi = {
  routes: [
    {
      method: "POST",
      path: "/api/mcp",
      access: "client" as const,
      policy: mcpPolicy,
      body: "json" as const,
      handler: (request: McpRequest) => {
        const { access, json } = request
        if (Array.isArray(json)) return Effect.succeed(batchResponse)
        const rejected = rejectedMessage(json)
        if (rejected !== undefined) return Effect.succeed(rejected)
        return respond(request, json).pipe(
          Effect.catchTag("CallFailed", ({ response }) => Effect.succeed(response)),
          workFor(access.organization),
        )
      },
    },
  ],
  errors: mcpErrors,
}

/** Only tools that take definitions have large arguments, and nothing of a message is repeated that is longer. */
const rejectedMessage = (message: unknown): McpResponse | undefined => {
  if (!isObject(message)) return undefined
  const { id, method, params } = message
  const name = isObject(params) ? params["name"] : undefined
  const isShort = (text: unknown): boolean => typeof text !== "string" || text.length <= mcpTextMaxCharacters
  if (!isShort(id) || !isShort(method) || (method === "tools/call" && !isShort(name))) {
    return invalidRequest(
      `id, method and the name of a tool must have at most ${mcpTextMaxCharacters} characters`,
    )
  }
  const takesDefinitions = method === "tools/call" && (name === "apply" || name === "dry_run_apply")
  return takesDefinitions || sizeOf(message) <= mcpMessageMaxCharacters
    ? undefined
    : invalidRequest(
        `Only messages that call apply or dry_run_apply may have more than ${mcpMessageMaxCharacters} characters`,
      )
}

const invalidRequest = (message: string): McpResponse =>
  jsonResponse(400, JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_600, message } }))

/** The characters of keys and texts and the number of values within a value; counts no further than a message may have. */
const sizeOf = (value: unknown): number => {
  let size = 0
  const waiting: Array<unknown> = [value]
  while (waiting.length > 0 && size <= mcpMessageMaxCharacters) {
    const next = waiting.pop()
    size += typeof next === "string" ? next.length + 1 : 1
    if (typeof next !== "object" || next === null) continue
    for (const [key, each] of Object.entries(next)) {
      size += key.length
      waiting.push(each)
    }
  }
  return size
}

/** Each message of a list would be a request that no limit counts. */
const batchResponse = jsonResponse(
  400,
  JSON.stringify({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32_600, message: "The body must be one message, not a list. Send a request for each." },
  }),
)

/**
 * Responds to one message by the SDK. It is imported on first use, as it is a megabyte of code.
 *
 * Fails with the failures of a tool that are those of the server, which then has no result.
 */
const respond = (request: McpRequest, message: unknown) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sdk = yield* Effect.promise(() => import("@modelcontextprotocol/server"))
      const failed = yield* Deferred.make<never, ToolFailure>()
      const run = yield* FiberSet.makeRuntimePromise<ToolRequirements>()
      const makeServer = () => {
        const server = new sdk.Server(
          { name: "tocsin", title: "Tocsin", version: request.version.product },
          { capabilities: { tools: {} }, instructions },
        )
        server.setRequestHandler("tools/list", () => ({
          tools: tools.filter(({ role }) => hasRole(request.access, role)).map(({ listed }) => listed()),
        }))
        server.setRequestHandler("tools/call", ({ params }) => {
          const tool = tools.find(({ name }) => name === params.name)
          if (tool === undefined) {
            const names = tools.map(({ name }) => name).join(", ")
            throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, `The tools are ${names}`)
          }
          return run(
            callTool(tool, request, params.arguments).pipe(
              Effect.onError((cause) => Deferred.failCause(failed, cause)),
            ),
          )
        })
        return server
      }
      const response = yield* Effect.promise(async (signal) => {
        const incoming = new Request("http://localhost/api/mcp", {
          method: "POST",
          headers: headersOf(request),
          signal,
        })
        const options = { parsedBody: message }
        // Revisions before 2026-07-28 open with a handshake, after which a client may omit what later ones send each time.
        if (!(await sdk.isLegacyRequest(incoming, message))) {
          return responseOf(
            await sdk
              .createMcpHandler(makeServer, { legacy: "reject", maxSubscriptions: 0 })
              .fetch(incoming, options),
          )
        }
        const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
        const server = makeServer()
        await server.connect(transport)
        try {
          return await responseOf(await transport.handleRequest(incoming, options))
        } finally {
          await server.close()
        }
      })
      return (yield* Deferred.isDone(failed)) ? yield* Deferred.await(failed) : response
    }),
  )

const instructions =
  "Tocsin tracks SLOs and error budgets, and notifies on alerts. Start with list_slos, then get_slo. Use explain_alert to find out why an alert triggered, and backtest_policy before you propose an alert policy. Never call apply before a person has agreed to what dry_run_apply returned."

/** The headers that the protocol has. */
const headersOf = (request: McpRequest): Headers => {
  const headers = new Headers({ "content-type": "application/json" })
  for (const name of ["accept", "mcp-protocol-version", "mcp-method", "mcp-name"]) {
    const value = request.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  return headers
}

const responseOf = async (response: Response): Promise<McpResponse> => ({
  status: response.status,
  headers: Object.fromEntries(response.headers),
  body: await response.text(),
})

/** What a tool returns or why the call was rejected, in the words of the API. Fails with failures of the server alone. */
const callTool = (tool: Tool, request: McpRequest, given: unknown) => {
  const { access, call: api } = request
  // No tool fails and requires what all of them do together.
  const called: Effect.Effect<object, ToolFailure, ToolRequirements> = tool.call({ access, api }, given)
  return Effect.matchCauseEffect(called, {
    onSuccess: (value) => Effect.succeed(resultOf(value)),
    onFailure: (cause: Cause.Cause<ToolFailure>) => {
      const failure = Cause.findErrorOption(cause)
      const status = failure._tag === "Some" ? statusOf(failure.value, request) : undefined
      return status === undefined || status.status >= 500
        ? Effect.failCause(cause)
        : Effect.succeed({ ...resultOf({ errors: status.errors }), isError: true })
    },
  })
}

const resultOf = (value: object): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
})

const statusOf = (failure: ToolFailure, request: McpRequest): ReturnType<McpRequest["statusOf"]> =>
  failure instanceof CallFailed
    ? { status: failure.response.status, errors: errorsOf(failure.response) }
    : request.statusOf(failure)

type Tool = (typeof tools)[number]
type ToolFailure = Effect.Error<ReturnType<Tool["call"]>>
type ToolRequirements = Effect.Services<ReturnType<Tool["call"]>>
