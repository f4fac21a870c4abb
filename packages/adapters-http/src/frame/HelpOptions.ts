import * as Context from "effect/Context"
import { TaggedError } from "@tocsin/domain/adapter"
import type { ApiResponse } from "./ApiResponse.ts"

/** The path of the documentation. It is built for this path. */
export const helpPath = "/help"

/** A file of the documentation. */
export interface HelpFile {
  /** The value of the `Content-Type` header. */
  readonly contentType: string
  readonly bytes: Uint8Array
  /** The hash of the bytes, from which the ETag is made. */
  readonly hash: string
  /** The compressed bytes, where they are smaller. */
  readonly compressed: NonNullable<ApiResponse["precompressed"]>
}

/** Why there is no documentation: it is being built, its build failed, or nobody builds it. */
export type HelpBuild =
  | { readonly state: "building" }
  | { readonly state: "failed"; readonly reason: string }
  | { readonly state: "none" }

/** The built documentation. */
export interface HelpSite {
  /** Whether it was built when the server started, or has been served since: errors link only to pages that exist. */
  readonly isBuilt: () => boolean
  /**
   * The file of a path below `/help/`, such as `guides/alerting` for `guides/alerting.html`; `undefined` if there is none.
   * Rejects if a file cannot be read.
   */
  readonly read: (path: string) => Promise<HelpFile | undefined>
  /** Why there is no file at all. */
  readonly build: () => Promise<HelpBuild>
}

/** The documentation to serve under `/help`; without one, nothing is served there. */
export const HelpOptions = Context.Reference<{ readonly site: HelpSite | undefined }>(
  "@tocsin/adapters-http/internal/frame/HelpOptions",
  { defaultValue: () => ({ site: undefined }) },
)

/** A file of the documentation exists and cannot be read, for example because too many files are open. */
export class HelpIsUnreadable extends TaggedError("HelpIsUnreadable")<{ readonly cause: unknown }> {}
