import type { IncomingMessage, ServerResponse } from "node:http"
import type { ApiFetchHandler } from "../server/FetchHandler.ts"
import { nodeListener } from "./NodeListener.ts"

/** A request of Fastify 4 or 5. */
export interface FastifyRequest {
  /** The request of Node. */
  readonly raw: IncomingMessage
}

/** A reply of Fastify 4 or 5. */
export interface FastifyReply {
  /** The response of Node. */
  readonly raw: ServerResponse
  /** Leaves the response to the handler. */
  readonly hijack: () => unknown
}

/** The part of an instance of Fastify 4 or 5 that `fastifyPlugin` uses. */
export interface FastifyScope {
  /** Removes the parsers of this scope. */
  readonly removeAllContentTypeParsers: () => unknown
  /** Adds a parser to this scope. */
  readonly addContentTypeParser: (
    contentType: string,
    parser: (request: unknown, payload: unknown) => Promise<undefined>,
  ) => unknown
  /** Adds a route of all methods to this scope. */
  readonly all: (
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ) => unknown
}

/** Mounts the API in Fastify: `app.register(fastifyPlugin(tocsin))`. Routes outside of `/api` and their parsers stay as they are. */
export const fastifyPlugin = (
  tocsin: Pick<ApiFetchHandler, "handle">,
): ((scope: FastifyScope) => Promise<void>) => {
  const listener = nodeListener(tocsin)
  return async (scope) => {
    // The API reads the body itself.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", async () => undefined)
    scope.all("/api/*", async (request, reply) => {
      reply.hijack()
      await listener(request.raw, reply.raw)
    })
  }
}
