import * as Context from "effect/Context"
import { TaggedError } from "@tocsin/domain/adapter"
import type { ServedFile } from "./ServedFile.ts"

/** The path of the documentation. It is built for this path. */
export const helpPath = "/help"

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
  readonly read: (path: string) => Promise<ServedFile | undefined>
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
