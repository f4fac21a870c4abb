import type { IncomingMessage } from "node:http"
import { type ErrorStatus, oneError } from "../frame/ErrorResponse.ts"
import { invalidPath, unknownMethod } from "../frame/FrameErrors.ts"

/** An error of Node's HTTP server about what a client sent. */
export interface ClientError extends NodeJS.ErrnoException {
  /** What the parser says; not meant for clients. */
  readonly reason?: string
  /** The bytes that were parsed last, and how many of them were. */
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** The response to a request that Node cannot read. */
export const clientErrorStatus = (error: ClientError): ErrorStatus => {
  switch (error.code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return oneError(408, { title: "Request timeout", code: "request_timeout" })
    case "HPE_HEADER_OVERFLOW":
      return oneError(431, {
        title: "Request headers too large",
        code: "headers_too_large",
        detail: `The request line and headers must be at most ${requestHeadMaxBytes} bytes.`,
      })
    case "HPE_INVALID_METHOD":
      return isRequestLine(error) ? oneError(501, unknownMethod) : notHttp
    case "HPE_INVALID_URL":
      return oneError(400, invalidPath)
    case "HPE_INVALID_TRANSFER_ENCODING":
      // RFC 9112 section 6.3: a length beside a transfer coding may be an attempt at request smuggling.
      return error.reason?.includes("Content-Length") ? lengthBesideCoding : unknownTransferCoding
    case "HPE_INVALID_CONTENT_LENGTH":
    case "HPE_UNEXPECTED_CONTENT_LENGTH":
      return error.reason?.includes("Transfer-Encoding") ? lengthBesideCoding : invalidLength
    default:
      return notHttp
  }
}

/** What is wrong with the head of a request that Node could read; `undefined` if nothing is. */
export const headError = ({ httpVersion, rawHeaders, headers }: IncomingMessage): ErrorStatus | undefined => {
  // A proxy in front may have used the other host (RFC 9112 section 3.2).
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++
  }
  if (hosts > 1) return hostIsDuplicated
  if (hosts === 0 && httpVersion === "1.1") return hostIsMissing
  const coding = headers["transfer-encoding"]
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") return unknownTransferCoding
  const { expect } = headers
  if (expect !== undefined && expect.trim().toLowerCase() !== "100-continue") return unknownExpectation
  return undefined
}

/** Largest request line and headers of a request, in bytes. */
export const requestHeadMaxBytes = 16_384

/** Whether the text that the parser stopped in starts with a request line, so that only its method is unknown. */
const isRequestLine = ({ rawPacket, bytesParsed = 0 }: ClientError): boolean => {
  const text = rawPacket?.toString("latin1", Math.max(0, bytesParsed - methodMaxCharacters)) ?? ""
  const at = Math.min(bytesParsed, methodMaxCharacters)
  const start = text.lastIndexOf("\n", at - 1) + 1
  return /^[!#$%&'*+.^_`|~\w-]+ [^ \r\n]+ HTTP\/1\.[01]\r?\n/.test(text.slice(start))
}

const methodMaxCharacters = 64

const notHttp = oneError(400, { title: "Malformed HTTP request", code: "invalid_request" })

const hostIsMissing = oneError(400, { title: "Missing Host header", code: "host_missing" })

const hostIsDuplicated = oneError(400, { title: "Duplicate Host header", code: "host_duplicated" })

const lengthBesideCoding = oneError(400, {
  title: "Malformed HTTP request",
  code: "invalid_request",
  detail: "Send either Content-Length or Transfer-Encoding, not both.",
})

const invalidLength = oneError(400, {
  title: "Malformed HTTP request",
  code: "invalid_request",
  detail: "Content-Length must be one number of bytes.",
  source: { propertyName: "Content-Length" },
})

const unknownTransferCoding = oneError(501, {
  title: "Unsupported transfer encoding",
  code: "unsupported_transfer_encoding",
  detail: "Send the body with Content-Length, or with Transfer-Encoding: chunked.",
  source: { propertyName: "Transfer-Encoding" },
})

const unknownExpectation = oneError(417, {
  title: "Unsupported expectation",
  code: "unsupported_expectation",
  detail: "The only supported value is Expect: 100-continue.",
  source: { propertyName: "Expect" },
})
