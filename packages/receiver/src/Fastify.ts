import { type NodeRequest, verifyNodeBody, verifyNodeRequest } from "./Node.ts"
import { rejectReadBody } from "./NotificationRejected.ts"
import type { NotificationVerifier, VerifiedNotification } from "./NotificationVerifier.ts"
import { type OnNotification, type OnRejected, respond } from "./Respond.ts"

/** A request of Fastify 4 or 5. */
export interface FastifyRequest {
  /** A `Buffer`, or nothing if no parser has read it. */
  readonly body: unknown
  /** The target of the request. */
  readonly originalUrl: string
  /** The request of Node. */
  readonly raw: NodeRequest
}

/** A reply of Fastify 4 or 5. */
export interface FastifyReply {
  /** Sets the status. */
  readonly code: (status: number) => unknown
  /** Sets a header field. */
  readonly header: (name: string, value: string) => unknown
  /** Sends the response. */
  readonly send: (body?: unknown) => unknown
}

/** The part of an instance of Fastify 4 or 5 that `fastifyReceiver` uses. */
export interface FastifyScope {
  /** Removes the parsers of this scope. */
  readonly removeAllContentTypeParsers: () => unknown
  /** Adds a parser to this scope. */
  readonly addContentTypeParser: (
    contentType: string,
    parser: (request: unknown, payload: unknown) => Promise<undefined>,
  ) => unknown
  /** Adds a route to this scope. */
  readonly post: (
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ) => unknown
}

/**
 * Verifies a request of Fastify whose body is unread or a `Buffer`. `fastifyReceiver` sets up such a route.
 *
 * A body that Fastify has parsed is rejected with `body_already_read`, since its raw bytes are lost. Rejects with
 * `NotificationRejected`, which Fastify's own error handling turns into a response with its `statusCode`.
 */
export const verifyFastifyRequest = async (
  verifier: NotificationVerifier,
  { body, originalUrl, raw }: FastifyRequest,
): Promise<VerifiedNotification> => {
  const { method, rawHeaders } = raw
  if (body instanceof Uint8Array) {
    return verifyNodeBody(verifier, { method, originalUrl, rawHeaders }, body)
  }
  return body === undefined || body === null ? verifyNodeRequest(verifier, raw) : rejectReadBody()
}

/**
 * A plugin of Fastify with one route: `app.register(fastifyReceiver(verifier, "/hooks/tocsin", onNotification))`.
 *
 * Passes each verified notification to `onNotification` and responds with 204; rejected notifications get the status of
 * the rejection. What `onNotification` rejects with goes to Fastify's error handler. Other routes keep their parsers.
 */
export const fastifyReceiver =
  (verifier: NotificationVerifier, path: string, onNotification: OnNotification, onRejected?: OnRejected) =>
  async (scope: FastifyScope): Promise<void> => {
    // Nothing parses or reads the body: the signature covers its raw bytes, and is verified first.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", async () => undefined)
    scope.post(path, async (request, reply) => {
      const verifying = verifyFastifyRequest(verifier, request)
      const { status, body } = await respond(verifying, onNotification, onRejected)
      if (body !== undefined) reply.header("connection", "close")
      reply.code(status)
      return reply.send(body)
    })
  }
