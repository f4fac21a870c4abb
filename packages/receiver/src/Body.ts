import {
  isBytes,
  NotificationRejected,
  reject,
  rejectReadBody,
  rejectWrongBody,
} from "./NotificationRejected.ts"

/** A body that is read when everything else has been checked; `null` is an empty one. */
export type ReceivedBody = Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> | null

export interface BodyLimits {
  /** In bytes. */
  readonly bodyMaxBytes: number
  /** For the whole body, in milliseconds. */
  readonly bodyTimeoutMs: number
}

/**
 * Reads a raw body, within its limits of size and time; bytes at once. However small its chunks are, it takes at most three
 * times its size of memory.
 *
 * Throws or rejects with `NotificationRejected`: `body_too_large`, `body_timeout`, `body_incomplete` when the connection ends
 * before the body, or `body_already_read` for anything else than raw bytes or a stream of them.
 */
export const readBody = (body: ReceivedBody, limits: BodyLimits): Uint8Array | Promise<Uint8Array> => {
  if (body === null) return new Uint8Array()
  if (!isBytes(body)) return readStream(body, limits)
  return body.length > limits.bodyMaxBytes ? tooLarge(limits.bodyMaxBytes) : body
}

const readStream = (
  body: Exclude<ReceivedBody, Uint8Array | null>,
  { bodyMaxBytes, bodyTimeoutMs }: BodyLimits,
): Promise<Uint8Array> => {
  const reader = readerOf(body)
  return new Promise((resolve, fail) => {
    const timer = setTimeout(() => {
      fail(new NotificationRejected("body_timeout", `the body must arrive within ${bodyTimeoutMs / 1_000} s`))
      reader.stop()
    }, bodyTimeoutMs)
    readAll(reader, bodyMaxBytes)
      .catch((cause: unknown) => {
        reader.stop()
        if (cause instanceof NotificationRejected) throw cause
        return reject("body_incomplete", "the connection ended before the body did", cause)
      })
      .finally(() => clearTimeout(timer))
      .then(resolve, fail)
  })
}

const tooLarge = (maxBytes: number): never =>
  reject("body_too_large", `the body must be at most ${maxBytes} bytes`)

const readAll = async (reader: Reader, maxBytes: number): Promise<Uint8Array> => {
  let bytes = new Uint8Array(Math.min(4_096, maxBytes))
  let size = 0
  for (;;) {
    const chunk = await reader.next()
    if (chunk === undefined) return bytes.subarray(0, size)
    if (size + chunk.length > maxBytes) tooLarge(maxBytes)
    if (size + chunk.length > bytes.length) {
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(size + chunk.length, 2 * bytes.length)))
      larger.set(bytes.subarray(0, size))
      bytes = larger
    }
    bytes.set(chunk, size)
    size += chunk.length
  }
}

interface Reader {
  /** The next chunk; `undefined` at the end. */
  readonly next: () => Promise<Uint8Array | undefined>
  /** Nothing more is read. Does not wait for a chunk that may never come. */
  readonly stop: () => void
}

const readerOf = (body: Exclude<ReceivedBody, Uint8Array | null>): Reader => {
  if (typeof body !== "object") return rejectWrongBody("body", body)
  if ("getReader" in body) {
    if (body.locked) return rejectReadBody()
    const reader = body.getReader()
    return {
      next: async () => {
        const { done, value } = await reader.read()
        return done ? undefined : bytesOf(value)
      },
      stop: () => void reader.cancel().catch(() => undefined),
    }
  }
  if (!(Symbol.asyncIterator in body)) return rejectWrongBody("body", body)
  const iterator = body[Symbol.asyncIterator]()
  return {
    next: async () => {
      const { done, value } = await iterator.next()
      if (done === true) return undefined
      return bytesOf(value)
    },
    stop: () => void iterator.return?.().catch(() => undefined),
  }
}

/** A stream may have an encoding and give text, but nothing that was parsed. */
const bytesOf = (chunk: unknown): Uint8Array => {
  if (typeof chunk === "string") return new TextEncoder().encode(chunk)
  return isBytes(chunk) ? chunk : rejectWrongBody("each chunk of the body", chunk)
}
