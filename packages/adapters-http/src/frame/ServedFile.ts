import { createHash } from "node:crypto"
import type { ApiResponse } from "./ApiResponse.ts"

/** A file of the web console or the documentation, in memory. */
export interface ServedFile {
  /** The value of the `Content-Type` header. */
  readonly contentType: string
  /** The file as it was built. */
  readonly bytes: Uint8Array
  /** The hash of the bytes, from which the ETag is made. */
  readonly hash: string
  /** The compressed bytes, where they are smaller. */
  readonly compressed: NonNullable<ApiResponse["precompressed"]>
}

export const hashOfFile = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("base64url").slice(0, 22)

/** The response that sends a file. */
export const fileResponse = (
  { contentType, bytes, hash, compressed }: ServedFile,
  headers: Readonly<Record<string, string>>,
): ApiResponse => ({
  status: 200,
  headers: {
    ...headers,
    "content-type": contentType,
    "cross-origin-resource-policy": "same-origin",
    etag: `"${hash}"`,
  },
  body: bytes,
  precompressed: compressed,
})
